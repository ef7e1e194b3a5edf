// Many changes tried on several threads, in order, until one of them mends: what searches of sources and of
// programs share.
#pragma once

#include "instrumentation/diagnosis/search/lab.h"
#include "instrumentation/diagnosis/search/search.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// Where a change stands, and what it is worth when it is run with all checks; nothing where it mends nothing
// then.
struct Prove {
    std::function<capture::Where(size_t change)> where;
    std::function<std::optional<Mended>(size_t change)> proven;
};

struct Hunt {
    Lab lab;
    Clock::time_point deadline;
    size_t around = 0;  // changes behind the first that is proven that are tried as well
    Prove prove = {};
    std::atomic<size_t> next = 0, tried = 0;
    std::atomic<size_t> refused = 0;               // by the compiler: these are not tried
    std::atomic<size_t> first = ~size_t{0};        // the first change that is proven
    std::atomic<size_t> first_frail = ~size_t{0};  // as Mended::frail
    std::mutex proving = {};                       // of what stands below, and of prove
    std::vector<std::pair<size_t, Mended>> proven = {},
                                           doubtful = {};  // these another shape refutes, or they go around
};

bool is_late(const Hunt& hunt);
// It is late, or the change lies far enough behind the first that is proven.
bool is_over(const Hunt& hunt, size_t change);
// What mends is proven at once, on this thread, while others go on; behind the search's time only until one
// is, for two seconds at most.
void judge(Hunt& hunt, size_t change, const Trial& trial);
void on_threads(int threads, const std::function<void()>& work);  // this one among them

// Of each line the first change that is proven, four lines at most.
void take_proven(Hunt& hunt, SearchResult& out);

}  // namespace wl::diagnosis
