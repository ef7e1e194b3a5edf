// What the units of one page remember of accesses, and what an access of some lanes makes of that. Internal
// to the shadow.
#pragma once

#include "instrumentation/emulator/global/global_shadow.h"

namespace wl::emulator {

constexpr size_t kMostConflicts = 64;  // of one instruction of one warp

// An access that is made: all that its units have in common.
struct NowTouched {
    GlobalActor& actor;
    const GlobalRecord& record;
    const Allocation& allocation;
    uint32_t number = 0;
};

// Bytes that lanes from `lane` on touch, `bytes` each, a power of two and aligned to it, one behind the
// other, in one page.
struct GlobalRun {
    uint64_t address = 0;
    uint32_t extent = 0;
    int lane = 0;
    uint32_t bytes = 0;
    bool several = false;  // further lanes touch the same
};

inline bool writes(const NowTouched& now) { return (now.record.flags & GlobalRecord::kWrite) != 0; }
inline bool same_warp(const GlobalRecord& a, const GlobalRecord& b) {
    return a.block == b.block && a.warp == b.warp;
}

// One unit of a page, touched by one lane.
struct GlobalUnit {
    uint64_t address = 0;
    uint32_t bytes = 0;
    int lane = 0;
    bool several = false;
};
void touch_unit(const NowTouched& now, GlobalPage& page, size_t k, const GlobalUnit& unit);

// Whether what was done there before comes before what the lane does now.
bool is_ordered(const NowTouched& now, uint32_t entry, int lane);
// Whether two accesses are no race, whatever their order. `polled`: the second one has read there before.
bool may_meet(const GlobalRecord& first, const GlobalRecord& second, bool polled);
// They may. A read and a write that nothing orders are kept with the other witnesses of the launch.
void note_met(const NowTouched& now, uint32_t entry);
void ensure(std::vector<uint32_t>& entries, const GlobalPage& page);
// GlobalUnit k, before it is written.
void keep_plain(const NowTouched& now, GlobalPage& page, size_t k);

// What lies in units that are alike: of each kind the entry, without its lane.
struct Heads {
    uint32_t writer = 0, plain = 0, reader = 0, reader2 = 0;
    bool operator==(const Heads&) const = default;
};

// What an access makes of units in which it finds these.
struct Outcome {
    enum Entries : uint8_t { kWriter = 1, kPlain = 2, kReader = 4, kReader2 = 8 };
    enum class Leaves : uint8_t { by_lane, nothing, reader, reader2, settled, writer };
    Leaves leaves = Leaves::nothing;  // by_lane: it depends on the lanes
    uint8_t own_lanes = 0;            // it is so where each lane finds what it did itself
    uint8_t cleared = 0;
    bool keeps_plain = false;  // keep_plain has to be asked
};

// The last outcome of one access, which holds for all its units.
struct Judged {
    Heads found;
    Outcome outcome;
    bool valid = false;
};

// The same for a run of units.
void touch_run(const NowTouched& now, GlobalPage& page, const GlobalRun& run, Judged& last);

// Its entries are by unit from now on.
void spread(GlobalPage& page);

// What lies there, at most 8 bytes.
uint64_t value_at(const Allocation& allocation, uint64_t offset, uint32_t bytes);

// Held while a page is looked at or forgotten; of no use to a launch on one thread.
class Locked {
public:
    explicit Locked(GlobalPage& page, bool several_threads = true) :
        page_(several_threads ? &page : nullptr) {
        if (page_ == nullptr) return;
        while (page_->lock.test_and_set(std::memory_order_acquire)) {}
    }
    ~Locked() {
        if (page_ != nullptr) page_->lock.clear(std::memory_order_release);
    }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    GlobalPage* page_;
};

}  // namespace wl::emulator
