// Activations of functions: their registers, their place on each lane's stack, and who comes before whom.
#pragma once

#include "instrumentation/emulator/machine/block.h"

namespace wl::emulator {

// The frame of the entry and an empty stack; everything else is there to be used again.
void start_frames(Warp& w);

// The frame for lanes that call `function` at `call` from the running frame: one that other lanes entered
// from there and have not left, or else a new one. The lanes have no place on the stack yet.
Frame& enter_frame(Warp& w, const Instr* call, const FunctionCode& function);
// The lanes have returned from the frame or exited in it.
void leave_frame(Warp& w, Frame& frame, uint32_t lanes);

// Reserves local memory for the lanes of a frame behind what they use. False: the stack would overflow.
bool push_locals(Warp& w, Frame& frame, uint32_t lanes);
// Makes the lane's stack end at `top`. False: it would overflow.
bool grow_stack(Warp& w, int lane, uint64_t top);
uint64_t stack_limit(const Warp& w);

// Does [address, address + bytes) lie in the local memory of one of the lane's activations?
bool on_stack(const Warp& w, int lane, uint64_t address, uint32_t bytes);
inline std::byte* stack_of(Warp& w, int lane) {
    return w.stack.bytes.data() + static_cast<size_t>(lane) * w.stack.stride;
}

// Does `a` run before `b`? In one frame by the order of its function; else those inside a call come before
// those who stand behind it.
bool comes_before_elsewhere(const Split& a, const Split& b);  // of different frames
inline bool comes_before(const Split& a, const Split& b) {
    return a.frame == b.frame ? a.pc->order < b.pc->order : comes_before_elsewhere(a, b);
}

}  // namespace wl::emulator
