// Work that is counted instead of time: what a search gets done then depends neither on how fast nor on how
// busy a machine is, nor on how many threads share it.
#pragma once

#include <atomic>
#include <cstdint>

namespace wl {

// Nanoseconds of one core of the machine that docs/measured/search-work.json names.
using Work = std::atomic<uint64_t>;
constexpr uint64_t kWorkPerSecond = 1'000'000'000;

namespace detail {
inline thread_local Work* counted = nullptr;
}

// While it lives, what this thread does counts for `into`; null: for nobody. The innermost one counts.
class CountedWork {
public:
    explicit CountedWork(Work* into) : before_(detail::counted) { detail::counted = into; }
    ~CountedWork() { detail::counted = before_; }
    CountedWork(const CountedWork&) = delete;
    CountedWork& operator=(const CountedWork&) = delete;

private:
    Work* before_;
};

inline void count_work(double nanoseconds) {
    if (detail::counted != nullptr) *detail::counted += static_cast<uint64_t>(nanoseconds);
}
// Of what it calls, on this thread.
template <class Call>
uint64_t work_of(Call call) {
    Work work = 0;
    const CountedWork counted(&work);
    call();
    return work;
}
inline const Work* counted_work() { return detail::counted; }

}  // namespace wl
