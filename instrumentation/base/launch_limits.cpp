// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", the same from 8.0 to 9.0 but
// for shared memory, which is that of 9.0.
#include "instrumentation/base/launch_limits.h"

#include <cstddef>

namespace wl {
namespace {

using Name = std::function<std::string(const std::string&)>;

constexpr std::array<int64_t, 3> kGridLimit = {2147483647, 65535, 65535};
constexpr std::array<int64_t, 3> kBlockLimit = {1024, 1024, 64};
constexpr int64_t kThreadLimit = 1024;
constexpr int64_t kSharedLimit = int64_t{227} * 1024;  // bytes a block may opt in to
constexpr int64_t kStackLimit = int64_t{512} * 1024;   // bytes of local memory a thread

std::string grouped(int64_t n) {  // 232,448
    std::string digits = std::to_string(n);
    for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<size_t>(at), ",");
    return digits;
}

std::string extents_problem(
    const std::array<int64_t, 3>& extent,
    const std::array<int64_t, 3>& limit,
    const std::string& key,
    const Name& name
) {
    for (size_t i = 0; i < extent.size(); ++i) {
        const std::string where = key + "[" + std::to_string(i) + "]";
        if (extent[i] < 1) return name(where) + " is " + grouped(extent[i]) + ", and must be at least 1.";
        if (extent[i] > limit[i])
            return name(where) + " is " + grouped(extent[i]) + ", the limit is " + grouped(limit[i]) + ".";
    }
    return {};
}

struct ByteLimit {
    int64_t most = 0;
    const char* of = "";   // what it limits
    const char* why = "";  // of whom
};
std::string bytes_problem(int64_t bytes, ByteLimit limit, const std::string& where) {
    if (bytes <= limit.most) return {};
    return where + " asks for " + grouped(bytes) + " bytes of " + limit.of + ", the limit is " +
        grouped(limit.most) + " (" + limit.why + ").";
}

std::string threads_problem(const std::array<int64_t, 3>& block, const Name& name) {
    const int64_t threads = block[0] * block[1] * block[2];
    if (threads <= kThreadLimit) return {};
    return name("block") + " is " + grouped(threads) + " threads (" + std::to_string(block[0]) + " x " +
        std::to_string(block[1]) + " x " + std::to_string(block[2]) + "), the limit is " +
        grouped(kThreadLimit) + " a block.";
}

}  // namespace

std::string launch_problem(const LaunchShape& launch, const Name& name) {
    std::string problem = extents_problem(launch.grid, kGridLimit, "grid", name);
    if (problem.empty()) problem = extents_problem(launch.block, kBlockLimit, "block", name);
    if (problem.empty()) problem = threads_problem(launch.block, name);
    if (problem.empty())
        problem = bytes_problem(
            launch.dynamic_shared,
            {kSharedLimit, "dynamic shared memory", "227 KB a block, sm_90"},
            name("shared")
        );
    if (problem.empty())
        problem = bytes_problem(
            launch.stack, {kStackLimit, "stack", "512 KB of local memory a thread"}, name("stack")
        );
    return problem;
}

}  // namespace wl
