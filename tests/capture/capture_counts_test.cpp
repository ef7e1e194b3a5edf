// What a capture counts: no sum of it overflows, and no zero has a sign.
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace wl::capture {
namespace {

// Whoever adds them up gets a number.
TEST(CaptureCounts, CountsThatCannotBeAreRefused) {
    constexpr int64_t kMany = std::numeric_limits<int64_t>::max() / 2 + 1;
    const auto message = [](const std::function<void(Capture&)>& spoil) {
        Capture capture = testing::synthetic_capture();
        capture.outputs.push_back({});
        spoil(capture);
        try {
            encode(capture, "run.wlcap");
        } catch (const Error& error) { return std::string(error.what()); }
        return std::string();
    };
    const auto says = [](const std::string& text, const std::string& part) {
        return text.find(part) != std::string::npos;
    };
    EXPECT_PRED2(says, message([](Capture& c) { c.tiles[2].inf = kMany; }), "tile 2 counts");
    EXPECT_PRED2(says, message([](Capture& c) { c.tiles[2].nan = -1; }), "tile 2 counts");
    EXPECT_PRED2(
        says,
        message([](Capture& c) { c.tiles[3].inf = int64_t{c.tiles[3].rows} * c.tiles[3].cols + 1; }),
        "tile 3 counts"
    );
    EXPECT_PRED2(
        says, message([](Capture& c) { c.tiles[1].compared = c.tiles[4].compared = kMany; }), "tile 4 counts"
    );
    EXPECT_PRED2(says, message([](Capture& c) { c.tiles[1].bad = -1; }), "tile 1 counts");
    EXPECT_PRED2(
        says,
        message([](Capture& c) { c.outputs[0].of.compared = c.outputs[1].of.compared = kMany; }),
        "output 1 counts"
    );
    EXPECT_PRED2(says, message([](Capture& c) { c.outputs[0].of.elements = -1; }), "output 0 counts");
    EXPECT_PRED2(
        says,
        message([](Capture& c) {
            c.outputs[0].shape = {kMany, 2};
        }),
        "output 0 has an extent"
    );
    EXPECT_PRED2(
        says,
        message([](Capture& c) { c.launch.all = 2, c.launches.resize(2), c.launches[0].bad = -1; }),
        "launch 1 counts"
    );
}

TEST(CaptureCounts, AMinusZeroIsAZero) {
    Capture capture = testing::synthetic_capture();
    capture.findings[0].evidence.emplace_back("site", -0.0);
    const std::vector<std::byte> file = encode(capture, "run.wlcap");
    EXPECT_EQ(encode(decode(file, "run.wlcap"), "run.wlcap"), file);
}

}  // namespace
}  // namespace wl::capture
