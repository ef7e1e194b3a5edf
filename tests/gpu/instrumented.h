// A kernel in two ways: plain, watched by the emulator; and instrumented, run by the emulator as a GPU would,
// so that both must tell the same.
#pragma once

#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/gpu/dump.h"
#include "instrumentation/gpu/instrument.h"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace wl::gpu::test {

using Key = std::tuple<int64_t, int, int, std::string, int>;  // block, warp, kind, name, iteration
using Tiles = std::map<Key, execution::TileSnapshot>;

struct Ran {
    Tiles tiles;
    std::vector<execution::TileSnapshot> stages;
    std::vector<BlockEvent> events;  // their clocks are those of who ran it
    execution::GlobalMemory memory;
    std::vector<std::string> notes;
    std::set<int> incidents;  // kinds
    uint64_t dropped = 0, incomplete = 0;
};

struct Subject {
    diagnosis::Experiment experiment;
    execution::Executor executor = emulator::executor();
    execution::Executable plain = {};
};

Subject subject(const std::string& path, const manifest::BindOptions& bind);
diagnosis::Prepared prepared(const Subject& s);

// What the emulator sees of blocks [0, end_block). Recorded, with what `options` asks for, or their marks
// alone.
Ran run_plain(const Subject& s, int64_t end_block, const execution::RunOptions* recorded = nullptr);

// The text of what is instrumented is parsed again, as a driver gets it.
// Shares of the buffer are those that the host gives, unless the control has a part.
Ran run_instrumented(const Subject& s, Plan plan, Control control);

Control all_blocks(uint64_t blocks, uint64_t capacity);

// Dynamic shared memory counts as the launch has it.
std::vector<execution::Array> arrays_of(const Subject& s);

}  // namespace wl::gpu::test
