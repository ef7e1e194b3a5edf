#include "fuzz/runs.h"

#include "instrumentation/base/error.h"
#include "instrumentation/capture/verdict.h"
#include "instrumentation/diagnosis/run.h"

#include <algorithm>

namespace wl::fuzz {
namespace {

constexpr uint64_t kBudget = 20'000;  // warp instructions of a block
constexpr uint64_t kRecordBytes = 4'000'000;
constexpr uint64_t kMostBlocks =
    20'000;  // of all launches: under sanitizers more take longer than a hang may

}  // namespace

capture::Capture briefly(manifest::Problem problem) {
    uint64_t blocks = 0;
    for (const manifest::BoundLaunch& launch : problem.launches) blocks += count(launch.grid);
    if (blocks > kMostBlocks) throw Error("more blocks than a mutant may run");
    diagnosis::Options options;
    options.threads = 1;
    options.budget = kBudget;
    options.record_bytes = kRecordBytes;
    return diagnosis::run(std::move(problem), options);
}

std::string problem_of_capture(const capture::Capture& c) {
    const bool known = std::any_of(
        std::begin(capture::kVerdictWords),
        std::end(capture::kVerdictWords),
        [&](const auto& word) { return c.verdict == word.name; }
    );
    if (!known) return "there is no verdict '" + c.verdict + "'";
    try {
        const std::vector<std::byte> written = capture::encode(c, "run");
        if (capture::encode(capture::decode(written, "run"), "run") == written) return {};
    } catch (const Error& error) { return std::string("its capture cannot be kept: ") + error.what(); }
    return "its capture comes back as something else";
}

}  // namespace wl::fuzz
