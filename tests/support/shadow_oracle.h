// Happens-before by the full clock of every thread, with the history of every byte: slow, and plainly right.
#pragma once

#include "instrumentation/emulator/shadow/shadow.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace wl::emulator {

enum class Op : uint8_t { read, span, write, atomic, copy };

struct Event {
    int thread = 0;
    uint32_t index = 0;  // position among the thread's events
    uint32_t op = 0;
    Op kind = Op::read;
    uint8_t value = 0;
};

inline bool conflict(const Event& a, const Event& b) {
    if (a.kind == Op::atomic && b.kind == Op::atomic) return false;
    auto reads = [](const Event& e) { return e.kind == Op::read || e.kind == Op::span; };
    return !(reads(a) && reads(b));
}

struct Byte {
    std::vector<Event> events;
    bool written = false, raced = false;
    int pending = -1;  // thread whose copy is in flight
    uint32_t pending_op = 0;
    capture::Owner owner;
};

// Happens-before over threads, and the full history of every byte.
struct Oracle {
    int warps = 0;
    std::vector<std::vector<uint32_t>> clock;  // [thread][other]: events of the other that happened before
    std::vector<uint16_t> epoch;               // by warp
    std::vector<Byte> bytes;

    Oracle(int warp_count, uint32_t size) :
        warps(warp_count),
        clock(warp_count * 32, std::vector<uint32_t>(warp_count * 32)),
        epoch(warp_count),
        bytes(size) {}

    bool ordered(const Event& before, int thread) const {
        return before.index <= clock[thread][before.thread];
    }

    Event next(int thread, uint32_t op, Op kind) { return {thread, ++clock[thread][thread], op, kind, 0}; }

    void join(std::vector<uint32_t>& into, const std::vector<uint32_t>& from) {
        for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
    }

    void sync_warp(int warp, uint32_t mask) {
        std::vector<uint32_t> joined(clock.size());
        for (int lane = 0; lane < 32; ++lane) {
            if (mask >> lane & 1) join(joined, clock[warp * 32 + lane]);
        }
        for (int lane = 0; lane < 32; ++lane) {
            if (mask >> lane & 1) clock[warp * 32 + lane] = joined;
        }
    }
};

struct Pair {
    Event first, second;
    uint32_t byte = 0;
};

struct Barrier {
    uint32_t to_come = 0, waiting = 0;
    std::vector<uint32_t> brought;
};

struct Mbarrier {
    std::vector<uint32_t> gathering, released;
};

struct Sizes {
    int warps = 2;
    uint32_t words = 8;
    uint32_t lanes = 4;  // lanes that take part, from lane 0
    int steps = 120;
    bool patterns = false;  // whole warps, rows and broadcasts
    int barriers = 8;       // percent of the steps
    int syncwarps = 10;
    int mbarriers = 0;    // percent of the steps: arrivals and waits, by whole warps and by some lanes
    bool partial = true;  // barriers of some warps, syncwarps of some lanes
    bool mostly_reads = false;
};

struct Counts {
    uint64_t races = 0, raced_bytes = 0, exact_witnesses = 0, vague_witnesses = 0, uninitialised = 0,
             pending = 0;
};

}  // namespace wl::emulator
