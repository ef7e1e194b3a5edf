#include "instrumentation/emulator/schedule/watched_blocks.h"

namespace wl::emulator {

WatchedBlocks watched_blocks(const WatchedLaunch& launch, uint64_t schedule_seed) {
    WatchedBlocks out;
    out.hooked = hookable(launch.program);
    watch(out.hooked);
    out.loaded = load(launch.program, launch.memory);
    out.options.marks = false;
    out.options.checks = {false, false, false};
    out.options.schedule_seed = schedule_seed;
    return out;
}

}  // namespace wl::emulator
