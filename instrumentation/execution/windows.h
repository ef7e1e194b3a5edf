// Every window of the 64-bit generic address space of a run, and what an address in it stands for. Windows
// are told apart by their upper eight bits.
#pragma once

#include <cstdint>

namespace wl::execution {

constexpr uint64_t kWindowMask = 0xff00'0000'0000'0000;

// Allocations: window 0, above what a host process of x86-64 can map (its half of the address space ends at
// 2^47, and the kernel gives more only to who asks for an address beyond), so that a host pointer passed by
// mistake never points into one; and below 2^48, so that kernels which keep a tag in the upper 16 bits of a
// pointer, as they may on a GPU, work.
constexpr uint64_t kGlobalBase = 0x9000'0000'0000;
constexpr uint64_t kSharedBase = 0x0100'0000'0000'0000;    // relative to the block that uses the address
constexpr uint64_t kLocalBase = 0x0200'0000'0000'0000;     // relative to the thread
constexpr uint64_t kConstantBase = 0x0300'0000'0000'0000;  // constant variables
constexpr uint64_t kParamBase = 0x0400'0000'0000'0000;     // parameters of the kernel
constexpr uint64_t kCodeBase = 0x0500'0000'0000'0000;      // functions: no loads, no stores
constexpr uint64_t kTextureBase = 0x0600'0000'0000'0000;   // handles of textures and surfaces: likewise

}  // namespace wl::execution
