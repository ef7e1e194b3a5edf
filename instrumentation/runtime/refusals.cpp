// Launches that a device refuses before their first instruction, with the runtime's error.
#include "instrumentation/runtime/machine.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

constexpr uint64_t kThreads = 1024, kDepth = 64, kPlainShared = 48 << 10, kMostShared = 227 << 10;
constexpr uint64_t kMultiprocessors = 16, kWarps = 64, kBlocks = 32, kReserved = 1024;
constexpr uint64_t kGridX = (uint64_t{1} << 31) - 1, kGridYz = 65535;

}  // namespace

Refusal refused(const Kernel& kernel, const ptx::Function& entry, uint32_t static_shared, const Request& r) {
    if (count(r.grid) == 0 || count(r.block) == 0)
        return {Failure::invalid_configuration, "an extent of the grid or of the block is 0"};
    if (count(r.block) > kThreads || r.block.z > kDepth)
        return {
            Failure::invalid_configuration,
            fmt::format(
                "{}x{}x{} threads a block; 1024 are possible, 64 in z", r.block.x, r.block.y, r.block.z
            )};
    if (r.grid.x > kGridX || r.grid.y > kGridYz || r.grid.z > kGridYz)
        return {
            Failure::invalid_configuration,
            fmt::format(
                "a grid of {}x{}x{} blocks; 65535 are possible in y and z", r.grid.x, r.grid.y, r.grid.z
            )};
    const uint64_t shared = r.shared + static_shared;
    const bool opted = r.shared <= kernel.most_dynamic_shared;
    if (shared > kMostShared || (shared > kPlainShared && !opted))
        return {
            Failure::invalid_value,
            fmt::format(
                "{} bytes of shared memory a block; {}",
                shared,
                shared > kMostShared ? "a device has 232448"
                                     : "more than 49152 have to be asked for by cudaFuncSetAttribute"
            )};
    const uint64_t bound = uint64_t{entry.max_threads[0]} * std::max(entry.max_threads[1], 1U) *
        std::max(entry.max_threads[2], 1U);
    if (bound != 0 && count(r.block) > bound)
        return {
            Failure::out_of_resources,
            fmt::format("{} threads a block; __launch_bounds__ allows {}", count(r.block), bound)};
    // Blocks of a cooperative launch are all there at once: so many, by threads, registers and shared memory.
    const uint64_t warps = (count(r.block) + 31) / 32, by_shared = kMostShared / (shared + kReserved);
    const uint64_t at_once = kMultiprocessors * std::min({kWarps / warps, by_shared, kBlocks});
    if (r.cooperative && count(r.grid) > at_once)
        return {
            Failure::cooperative_too_large,
            fmt::format(
                "{} blocks of a cooperative launch; {} fit on the device at once", count(r.grid), at_once
            )};
    return {};
}

}  // namespace wl::runtime
