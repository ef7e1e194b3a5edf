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
#include <vector>

namespace wl::diagnosis {

struct Hunt {
    Lab lab;
    Clock::time_point deadline;
    size_t around = 0;  // changes behind the first that mends that are tried as well
    std::atomic<size_t> next = 0, tried = 0;
    std::atomic<size_t> first = ~size_t{0};  // the first change that mends
    std::mutex lock = {};
    std::vector<size_t> hits = {};
};

bool is_late(const Hunt& hunt);
// It is late, or the change lies far enough behind the first that mends.
bool is_over(const Hunt& hunt, size_t change);
void judge(Hunt& hunt, size_t change, const Trial& trial);
void on_threads(int threads, const std::function<void()>& work);  // this one among them

// Of each line the first change that is proven; what another shape refutes is put aside. Behind the search's
// time proofs go on until one is found, for two seconds at most.
struct Prove {
    std::function<capture::Where(size_t change)> where;
    std::function<std::optional<Mended>(size_t change)> proven;
};
void prove_hits(Hunt& hunt, const Prove& prove, SearchResult& out);

}  // namespace wl::diagnosis
