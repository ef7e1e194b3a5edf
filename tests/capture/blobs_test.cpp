// Contents stored once, and the synthetic capture that other tests stand on.
#include "instrumentation/capture/capture.h"
#include "tests/support/synthetic_capture.h"

#include <cstring>
#include <gtest/gtest.h>

namespace wl::capture {
namespace {

TEST(Blobs, EqualContentsShareOneId) {
    BlobStore store;
    const BlobId a = add_blob(store, std::vector<float>{1, 2, 3});
    const BlobId b = add_blob(store, std::vector<float>{1, 2, 4});
    EXPECT_NE(a, kNoBlob);
    EXPECT_NE(a, b);
    EXPECT_EQ(add_blob(store, std::vector<float>{1, 2, 3}), a);
    EXPECT_EQ(store.blobs.size(), 3U);
}

TEST(Blobs, ContentsWithOneHashAreStillToldApart) {
    BlobStore store;
    const std::vector<std::byte> four(4, std::byte{4}), five(5, std::byte{5});
    const BlobId four_id = add_blob(store, four);
    store.by_hash.emplace(content_hash(five), four_id);  // as if both had this hash
    const BlobId five_id = add_blob(store, five);
    EXPECT_NE(five_id, four_id);
    EXPECT_EQ(store.blobs[static_cast<size_t>(five_id)], five);
}

TEST(SyntheticCapture, FirstWrongTileIsThirtyTwoTimesL) {
    const Capture capture = testing::synthetic_capture();
    ASSERT_EQ(capture.tiles.size(), 64U * 8 * 7 + 1);
    const Tile* first = nullptr;
    for (const Tile& tile : capture.tiles)
        if (!first && tile.verdict == Verdict::bad) first = &tile;
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(capture.probes[static_cast<size_t>(first->probe)].name, "l");
    EXPECT_EQ(first->iteration, 0);
    EXPECT_EQ(first->bad, 64);
    float got = 0;
    double reference = 0;
    std::memcpy(&got, capture.blobs.blobs[static_cast<size_t>(first->values)].data(), sizeof got);
    std::memcpy(
        &reference, capture.blobs.blobs[static_cast<size_t>(first->reference)].data(), sizeof reference
    );
    EXPECT_NEAR(got / reference, 32.0, 32.0 * 1e-6);
    EXPECT_EQ(capture.tiles.back().verdict, Verdict::bad);
    EXPECT_NEAR(capture.outputs[0].reference_max / capture.outputs[0].max, 32.0, 0.1);
}

}  // namespace
}  // namespace wl::capture
