#include "instrumentation/emulator/schedule/printed.h"

#include <algorithm>
#include <utility>

namespace wl::emulator {

void add_printed(RunResult& result, std::vector<Printed>&& printed) {
    const auto by_block = [](const Printed& a, const Printed& b) { return a.block < b.block; };
    const auto middle = static_cast<std::ptrdiff_t>(result.printed.size());
    std::move(printed.begin(), printed.end(), std::back_inserter(result.printed));
    std::inplace_merge(
        result.printed.begin(), result.printed.begin() + middle, result.printed.end(), by_block
    );
    uint64_t bytes = 0;
    for (const Printed& p : result.printed) bytes += p.text.size();
    for (; bytes > kPrintedBytes; result.printed.pop_back()) {
        bytes -= result.printed.back().text.size();
        result.prints_lost += 1 + result.printed.back().lost;
    }
}

}  // namespace wl::emulator
