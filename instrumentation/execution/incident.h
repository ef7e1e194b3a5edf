// What goes wrong in a kernel under test, as an executor sees it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wl::execution {

// Of an executor that is not told where something happened.
constexpr uint32_t kUnknownSite = UINT32_MAX;

struct Access {
    uint32_t site = 0;   // instruction index, or kUnknownSite
    int64_t block = -1;  // linear
    int warp = -1;
    uint32_t lanes = 0;    // mask
    int epoch = 0;         // block barriers passed
    uint64_t address = 0;  // shared: offset in the window
    uint32_t bytes = 0;
    uint64_t value = 0;  // first lane's, little endian
    bool write = false;
    std::string memory;  // "shared", "global", "local", "param", "const"; the allocation's name for global:
                         // "global V"
};

// A word of memory that two runs left differently.
struct ChangedWord {
    std::string array;         // its allocation's name
    uint64_t offset = 0;       // a multiple of 8
    uint64_t was = 0, is = 0;  // plain and observed, little endian
};

// Once per cause (kind, first site, second site), with the first witness.
struct Incident {
    enum class Kind : uint8_t {
        race_shared,
        race_warp,
        race_global,
        uninitialised_read,
        out_of_bounds,
        misaligned,
        divergent_barrier,
        deadlock,
        endless_loop,
        lane_not_in_mask,
        uniform_reduction,
        mark_not_reached,
        async_copy_wait,
        mbarrier_misuse,  // not initialised, overwritten, too many arrivals, a parity that is none, ...
        proxy_fence,  // bytes stored by the generic proxy and copied by the async one, no proxy fence between
        read_only_load,  // ld.global.nc of what the launch itself writes
        trap,
        assertion,  // assert() of what does not hold
        stack_overflow,
        undefined_target,   // an indirect call of what is no function, or none of this kind; brx.idx past its
                            // list
        bad_free,           // of what malloc did not give, or of what was freed before
        endless_wait,       // blocks poll memory that none of them will change
        device_fault,       // a device ended the launch, or never did; where is unknown
        left_early,         // threads exited before a full barrier: allowed; told among RunResult::notes
        observing_changed,  // a launch that was observed left other memory than the plain one
    };
    Kind kind = Kind::race_shared;
    Access first, second;  // races: first is the earlier in emulated order; others: second unused (write ==
                           // false, block == -1)
    uint64_t count = 1;
    std::string detail;           // "warps 1-7 wait at barrier 0, warp 0 has exited", ...
    std::vector<uint32_t> group;  // uniform_reduction: the sites of the shuffles and combining operations of
                                  // the whole reduction, in order
    std::vector<ChangedWord> changed;  // observing_changed: the first of them
    bool unsteady = false;             // two runs that nobody observed differ, too
};

}  // namespace wl::execution
