// Accesses of four warps put straight into the shadow of shared memory, a call an access.
#pragma once

#include "instrumentation/emulator/shadow/shadow.h"

#include <gtest/gtest.h>
#include <vector>

namespace wl::emulator {

constexpr uint32_t kAll = ~0u;

enum Site : uint32_t { kWrite = 10, kRead = 20, kAtomic = 30, kCopy = 40, kOther = 50 };

// Four warps on 4 KiB. Every lane touches `base + lane * step`.
struct Program {
    Shadow shadow;
    uint32_t addresses[32] = {};
    uint32_t values[32] = {};

    explicit Program(bool filled = true, int threads = 128) {
        start(shadow, {.block = 5, .threads = threads, .bytes = 4096});
        if (!filled) return;
        for (uint32_t base = 0; base < 4096; base += 128) write(0, base, 4, 4, kAll, 1);
        barrier();
    }

    WarpAccess access(int warp, uint32_t base, uint32_t step, uint32_t bytes, uint32_t mask, uint32_t site) {
        for (uint32_t lane = 0; lane < 32; ++lane) {
            addresses[lane] = base + lane * step;
            values[lane] = uint32_t(warp) * 1000 + lane;
        }
        WarpAccess made{.warp = warp, .site = site, .mask = mask, .bytes = bytes, .addresses = addresses};
        if (bytes <= 4) made.values[0] = reinterpret_cast<const std::byte*>(values);
        return made;
    }

    void read(
        int warp, uint32_t base, uint32_t step, uint32_t bytes, uint32_t mask = kAll, uint32_t site = kRead
    ) {
        read_shared(shadow, access(warp, base, step, bytes, mask, site));
    }
    void write(
        int warp, uint32_t base, uint32_t step, uint32_t bytes, uint32_t mask = kAll, uint32_t site = kWrite
    ) {
        write_shared(shadow, access(warp, base, step, bytes, mask, site));
    }
    void atomic(int warp, uint32_t base, uint32_t step, uint32_t mask = kAll, uint32_t site = kAtomic) {
        atomic_shared(shadow, access(warp, base, step, 4, mask, site));
    }
    void begin(int warp, uint32_t base, uint32_t mask = kAll) {
        begin_copy(shadow, access(warp, base, 16, 16, mask, kCopy));
    }
    void complete(int warp, uint32_t base, uint32_t mask = kAll) {
        complete_copy(shadow, access(warp, base, 16, 16, mask, kCopy));
    }

    void barrier(uint32_t warps = 15, int id = 0) {
        for (int warp = 0; warp < 4; ++warp) {
            if (warps >> warp & 1) arrive(shadow, id, warp, true);
        }
        emulator::complete(shadow, id);
    }

    std::vector<Incident> incidents() { return take_incidents(shadow); }
};

inline void expect_race(
    Program& program, Incident::Kind kind, uint32_t first, uint32_t second, const char* detail
) {
    auto found = program.incidents();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, kind);
    EXPECT_EQ(found[0].first.site, first);
    EXPECT_EQ(found[0].second.site, second);
    EXPECT_EQ(found[0].detail, detail);
}

}  // namespace wl::emulator
