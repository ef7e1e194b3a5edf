// Models the stack as bytes per activation: its local variables and 16 for the return address. Not modelled:
// registers that the compiler would spill, which take part of the real limit too.
#include "instrumentation/emulator/schedule/frames.h"

#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/load.h"

#include <algorithm>
#include <cstring>

namespace wl::emulator {
namespace {

constexpr uint32_t kReturnAddress = 16;  // what ptxas 13 takes at least for a function that calls another

// Behind the last cell, as much as the widest executor reads from a slot that PTX gave too narrow a type.
constexpr size_t kSlack = kLanes * 16;

uint64_t align_up(uint64_t x, uint64_t align) { return (x + align - 1) / align * align; }

// Registers hold zeros until they are written, not what an earlier block left: what a block does with them
// must not depend on which blocks ran before it.
void begin_frame(Warp& w, Frame& frame) {
    frame.block = w.block->now.index;
    std::fill_n(frame.registers, frame.function->file.constants, std::byte{0});
    std::byte* before = w.registers;
    w.registers = frame.registers;
    fill_special_registers(w, frame.function->file);
    w.registers = before;
}

std::unique_ptr<Frame> make_frame(Warp& w, const FunctionCode& function) {
    auto frame = std::make_unique<Frame>();
    const Block& block = *w.block;
    frame->function = &function;
    frame->storage.resize((function.file.bytes + kSlack) / sizeof(RegisterLine) + 1);
    frame->registers = frame->storage.data()->bytes;
    const auto& image =
        block.context.loaded
            ->images[static_cast<size_t>(&function - block.context.program->functions.data())];
    std::copy(image.begin(), image.end(), frame->registers + function.file.constants);
    return frame;
}

auto& spare_frames(Warp& w, const FunctionCode& function) {
    return w.spare[static_cast<size_t>(&function - w.block->context.program->functions.data())];
}

Frame* find_joinable(Warp& w, const Instr* call, const FunctionCode& function) {
    if (w.split_count == 1) return nullptr;
    for (size_t k = w.active.size(); k-- > 0;) {
        Frame& f = *w.active[k];
        if (f.parent == w.frame && f.call == call && f.function == &function) return &f;
    }
    return nullptr;
}

// Every lane's part grows, so that the same address keeps its contents.
void widen(Warp& w, uint64_t needed) {
    // An odd number of cache lines, so that the lanes do not fall into the same set.
    const uint64_t wanted = std::max<uint64_t>(needed, 2 * uint64_t{w.stack.stride});
    const auto stride = static_cast<uint32_t>(((wanted + 63) / 64 | 1) * 64);
    std::vector<std::byte> bytes(size_t{stride} * kLanes, std::byte{0xff});
    for (size_t lane = 0; lane < kLanes && w.stack.stride != 0; ++lane)
        std::memcpy(
            bytes.data() + lane * stride, w.stack.bytes.data() + lane * w.stack.stride, w.stack.stride
        );
    w.stack.bytes = std::move(bytes);
    w.stack.stride = stride;
}

}  // namespace

void start_frames(Warp& w) {
    const Program& program = *w.block->context.program;
    w.spare.resize(program.functions.size());
    while (!w.active.empty()) leave_frame(w, *w.active.back(), kAllLanes);
    const FunctionCode& entry = program.functions.front();
    if (w.entry == nullptr) w.entry = make_frame(w, entry);
    w.frame = w.entry.get();
    w.registers = w.frame->registers;
    begin_frame(w, *w.frame);
    w.stack.top.fill(entry.local_bytes);
    if (w.stack.stride < entry.local_bytes) widen(w, entry.local_bytes);
    std::fill(w.stack.bytes.begin(), w.stack.bytes.end(), std::byte{0xff});
}

Frame& enter_frame(Warp& w, const Instr* call, const FunctionCode& function) {
    Frame* frame = find_joinable(w, call, function);
    if (frame == nullptr) {
        auto& spare = spare_frames(w, function);
        if (spare.empty()) spare.push_back(make_frame(w, function));
        frame = w.active.emplace_back(std::move(spare.back())).get();
        spare.pop_back();
        frame->parent = w.frame;
        frame->call = call;
        frame->lanes = 0;
        frame->depth = w.frame->depth + 1;
        if (frame->block != w.block->now.index) begin_frame(w, *frame);
    }
    frame->lanes |= w.mask;
    return *frame;
}

void leave_frame(Warp& w, Frame& frame, uint32_t lanes) {
    frame.lanes &= ~lanes;
    if (frame.lanes != 0) return;
    size_t k = w.active.size() - 1;
    while (w.active[k].get() != &frame) --k;
    spare_frames(w, *frame.function).push_back(std::move(w.active[k]));
    w.active.erase(w.active.begin() + static_cast<std::ptrdiff_t>(k));
}

uint64_t stack_limit(const Warp& w) {
    constexpr uint32_t kDefault = 1024;  // cudaLimitStackSize, unless the program sets it
    const uint32_t asked = w.block->context.launch->stack_bytes;
    return uint64_t{w.block->context.program->static_stack} + (asked != 0 ? asked : kDefault);
}

bool grow_stack(Warp& w, int lane, uint64_t top) {
    if (top > stack_limit(w)) return false;
    if (top > w.stack.stride) widen(w, top);
    w.stack.top[static_cast<size_t>(lane)] = static_cast<uint32_t>(top);
    return true;
}

bool push_locals(Warp& w, Frame& frame, uint32_t lanes) {
    const FunctionCode& function = *frame.function;
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        const uint32_t below = w.stack.top[lane];
        const uint64_t base = align_up(uint64_t{below} + kReturnAddress, function.local_align);
        frame.below[lane] = below;
        frame.base[lane] = static_cast<uint32_t>(base);
        if (!grow_stack(w, static_cast<int>(lane), base + function.local_bytes)) return false;
        std::memset(stack_of(w, static_cast<int>(lane)) + base, 0xff, function.local_bytes);
        for (const LocalSlot& local : function.file.locals) {
            std::byte* cell = frame.registers + local.slot;
            const uint64_t address = base + local.offset;
            std::memcpy(cell + lane * (local.wide ? 8 : 4), &address, local.wide ? 8 : 4);
        }
    }
    return true;
}

bool on_stack(const Warp& w, int lane, uint64_t address, uint32_t bytes) {
    const auto l = static_cast<size_t>(lane);
    uint64_t end = w.stack.top[l];
    for (const Frame* f = w.frame; f != nullptr; f = f->parent) {
        if (address >= f->base[l]) return address <= end && bytes <= end - address;
        end = f->below[l];
    }
    return false;
}

bool comes_before_elsewhere(const Split& a, const Split& b) {
    const Instr *at = a.pc, *other = b.pc;
    const Frame *fa = a.frame, *fb = b.frame;
    bool inside = false, other_inside = false;
    const auto climb = [](const Frame*& f, const Instr*& pc, bool& in_call) {
        pc = f->call;
        f = f->parent;
        in_call = true;
    };
    while (fa->depth > fb->depth) climb(fa, at, inside);
    while (fb->depth > fa->depth) climb(fb, other, other_inside);
    while (fa != fb) {
        climb(fa, at, inside);
        climb(fb, other, other_inside);
    }
    if (inside && !other_inside && other == at + 1) return true;
    if (other_inside && !inside && at == other + 1) return false;
    if (at->order != other->order) return at->order < other->order;
    return at < other;
}

}  // namespace wl::emulator
