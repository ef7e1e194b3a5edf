// Bulk copies among a warp's pending ones; for the files of this folder.
#pragma once

#include "instrumentation/emulator/machine/block.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// In place of the offset of an mbarrier, of a copy out of shared memory: `to` is where it comes from, and
// `from` where it goes to.
constexpr int32_t kOutOfShared = -2;

// It is in no group of cp.async.
inline bool is_bulk(const PendingCopy& copy) { return copy.mbarrier != -1; }

constexpr uint32_t kPiece = 16;  // bytes: what addresses and sizes are multiples of

// Reported where a copy's size is not.
bool is_whole(Warp& w, const Instr* i, int lane, uint32_t bytes);

// A copy is on its way into shared memory, to complete at an mbarrier; out of it.
void begin_bulk_copy(Warp& w, PendingCopy copy, Mbarrier& m);
void begin_copy_out(Warp& w, PendingCopy copy);

// Those out of shared memory, of these lanes, that lie at least `groups` commits back; -1: uncommitted ones,
// too.
void land_copies_out(Warp& w, uint32_t lanes, int groups);

// cp.async.bulk out of shared memory, its groups and the waits for them.
Selected lower_copy_bulk_out(Lowering& l);

}  // namespace wl::emulator
