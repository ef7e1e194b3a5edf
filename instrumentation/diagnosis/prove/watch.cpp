#include "instrumentation/diagnosis/prove/watch.h"

#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/emulator/schedule/watched_blocks.h"

namespace wl::diagnosis {

int64_t watch(Prover& prover, const WatchedRun& run, const Looks& looks) {
    const Inputs& inputs = inputs_of(prover, run.seed_offset);
    Prepared prepared{execution::copy_of(inputs.prepared.memory), inputs.prepared.launch};
    const emulator::WatchedLaunch launch{run.module, run.program, prepared.launch, prepared.memory};
    emulator::WatchedBlocks watched = emulator::watched_blocks(launch, 0);
    const auto site = [&traits = watched.hooked.traits](const emulator::Warp& w, const emulator::Instr* i) {
        return traits[emulator::code_index(*w.block, i)].site;
    };
    watched.watcher.before = [&](emulator::Warp& w, const emulator::Instr* i) {
        return !looks.before || looks.before(w, i, site(w, i));
    };
    if (looks.after)
        watched.watcher.after = [&](emulator::Warp& w, const emulator::Instr* i) {
            looks.after(w, i, site(w, i));
        };
    return emulator::run_watched(
        watched,
        launch,
        {run.blocks, run.most_instructions},
        [](const emulator::Block&) {},
        [](uint64_t, uint64_t) { return true; }
    );
}

}  // namespace wl::diagnosis
