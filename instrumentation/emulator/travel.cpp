// Running a block up to an instant, and reading it.
#include "instrumentation/emulator/travel.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/access.h"
#include "instrumentation/emulator/block.h"
#include "instrumentation/emulator/load.h"
#include "instrumentation/emulator/lowering.h"
#include "instrumentation/emulator/simd.h"
#include "instrumentation/emulator/watcher.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {

struct Traveller {
    Journey journey;
    RunOptions options;
    Watcher watcher;
    GlobalMemory memory;  // as the block has left it so far
    Loaded loaded;
    Block block;
    Here here;
    const Instr* at = nullptr;  // the instruction at `here`: a split's pc is that of its last rest
};

namespace {

const Warp& warp_here(const Traveller& t) { return t.block.warps[static_cast<size_t>(t.here.warp)]; }

// The running activation, then its callers.
std::vector<const Frame*> frames_here(const Traveller& t) {
    std::vector<const Frame*> frames;
    for (const Frame* f = warp_here(t).frame; f != nullptr; f = f->parent) frames.push_back(f);
    return frames;
}

int function_of(const Traveller& t, const Frame& frame) {
    return static_cast<int>(frame.function - t.watcher.program.functions.data());
}

// Locating needs a Warp that could be written; reading leaves it as it is.
Warp& writable(const Warp& w) { return const_cast<Warp&>(w); }

}  // namespace

void TravellerDeleter::operator()(Traveller* t) const { delete t; }

TravellerPtr start_journey(Journey journey) {
    TravellerPtr t(new Traveller);
    t->journey = std::move(journey);
    watch(t->watcher, *t->journey.program);
    t->options.marks = false;
    t->options.threads = 1;
    t->options.checks = {false, false, false};
    t->options.schedule_seed = t->journey.schedule_seed;
    t->options.budget = t->journey.budget;
    return t;
}

bool run_until(Traveller& t, int warp, const std::function<bool(const Here&)>& stop) {
    t.memory = t.journey.memory;
    t.loaded = load(t.watcher.program, t.memory);
    t.block = Block();
    t.watcher.stopped = false;
    t.watcher.before = [&](Warp& w, const Instr* i) {
        if (warp >= 0 && w.index != warp) return true;
        t.here = {w.index, time_at(w, i), i->site, w.mask};
        t.at = i;
        return !stop(t.here);
    };
    BlockContext context;
    context.program = &t.watcher.program;
    context.launch = &t.journey.launch;
    context.options = &t.options;
    context.memory = &t.memory;
    context.loaded = &t.loaded;
    prepare(t.block, context);
    t.block.watcher = &t.watcher;
    begin_block(t.block, t.journey.block, kPlain);
    if (run_block(t.block) == Ended::set_aside)
        throw Unsupported(
            "unsupported: this block waits for other blocks, and an instant is reached by running it alone"
        );
    t.watcher.before = nullptr;
    return t.watcher.stopped;
}

const Here& here(const Traveller& t) { return t.here; }

std::vector<Activation> activations(const Traveller& t) {
    std::vector<Activation> out;
    const Instr* at = t.at;
    for (const Frame* f : frames_here(t)) {
        const auto index = static_cast<int32_t>(code_index(t.block, at));
        out.push_back(
            {function_of(t, *f),
             f->function->name,
             f->lanes,
             index - static_cast<int32_t>(f->function->begin)}
        );
        at = f->call;
    }
    if (!out.empty()) out.front().lanes = t.here.lanes;
    return out;
}

LaneBits register_bits(const Traveller& t, size_t activation, const ptx::Function& function, int32_t reg) {
    const Frame& frame = *frames_here(t).at(activation);
    RegisterFile unused;
    const uint32_t slot = assign_registers(function, unused).at(static_cast<size_t>(reg));
    const ptx::Type type = function.registers[static_cast<size_t>(reg)].type;
    const std::byte* cells = frame.registers + slot;
    LaneBits bits{};
    for (size_t lane = 0; lane < kLanes; ++lane) {
        if (type == ptx::Type::pred) {
            uint32_t mask = 0;
            std::memcpy(&mask, cells, sizeof(mask));
            bits[lane] = mask >> lane & 1;
        } else {
            const size_t cell = ptx::bytes_of(type) < 8 ? 4 : 8;
            std::memcpy(&bits[lane], cells + lane * cell, std::min<size_t>(cell, ptx::bytes_of(type)));
        }
    }
    return bits;
}

bool read_memory(const Traveller& t, const LaneAddress& from, std::span<std::byte> out) {
    LaneAccess access;
    access.space = from.space;
    access.lane = from.lane;
    access.address = from.address;
    access.bytes = static_cast<uint32_t>(out.size());
    const auto place = locate(writable(warp_here(t)), access);
    if (!place) return false;
    std::memcpy(out.data(), place->data, out.size());
    return true;
}

std::optional<std::pair<ptx::Space, LaneBits>> address_of(
    const Traveller& t, size_t activation, const std::string& symbol
) {
    const Frame& frame = *frames_here(t).at(activation);
    const auto& symbols = t.watcher.program.symbols;
    const auto known = std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) {
        return s.name == symbol && (s.function < 0 || s.function == function_of(t, frame));
    });
    if (known == symbols.end()) return std::nullopt;
    uint64_t base = known->offset;
    if (known->space == ptx::Space::global) {
        const auto& all = t.memory.allocations;
        const auto a =
            std::find_if(all.begin(), all.end(), [&](const Allocation& x) { return x.name == symbol; });
        if (a == all.end()) return std::nullopt;
        base = a->base;
    }
    LaneBits addresses{};
    for (size_t lane = 0; lane < kLanes; ++lane)
        addresses[lane] = base + (known->space == ptx::Space::local ? frame.base[lane] : 0);
    return std::pair(known->space, addresses);
}

std::vector<int> module_functions(const Program& program, const ptx::Module& module) {
    std::vector<int> out;
    for (const FunctionCode& f : program.functions) {
        const auto same = [&](const ptx::Function& g) {
            return g.name == f.name && g.is_declaration != f.is_defined;
        };
        const auto found = std::find_if(module.functions.begin(), module.functions.end(), same);
        out.push_back(static_cast<int>(found - module.functions.begin()));
    }
    return out;
}

uint32_t existing_lanes(const Traveller& t) { return warp_here(t).exists; }
Dim3 thread_of(const Traveller& t, int lane) {
    return from_linear(
        static_cast<uint64_t>(t.here.warp) * kLanes + static_cast<uint64_t>(lane), t.journey.launch.block
    );
}
const Launch& launch_of(const Traveller& t) { return t.journey.launch; }
Dim3 block_of(const Traveller& t) {
    return from_linear(static_cast<uint64_t>(t.journey.block), t.journey.launch.grid);
}

}  // namespace wl::emulator
