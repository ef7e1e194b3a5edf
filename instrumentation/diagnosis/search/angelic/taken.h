// What the compiler takes of what is written into one text.
#pragma once

#include "instrumentation/diagnosis/search/source_trials.h"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

template <typename Item>
struct Taken {
    std::vector<Item> items;
    std::string ptx;  // of the text with these; empty: there is none
};

// Lines of the item k are counted from (k + 1) times compile_whole's number: what is refused is left out, and
// the rest compiled again, `rounds` times, until the time of `t` is over.
template <typename Item>
Taken<Item> taken(
    const SourceTrials& t,
    std::vector<Item> items,
    int rounds,
    const std::function<std::string(const std::vector<Item>&)>& text_of
) {
    for (int round = 0; round < rounds && !items.empty() && !is_late(t.queue); ++round) {
        compile::Whole whole = compile::compile_whole(t.quick, text_of(items));
        if (!whole.ptx.empty()) return {std::move(items), std::move(whole.ptx)};
        if (whole.refused.empty()) break;
        std::vector<Item> left;
        for (size_t k = 0; k < items.size(); ++k)
            if (!whole.refused.contains(k)) left.push_back(std::move(items[k]));
        items = std::move(left);
    }
    return {};
}

}  // namespace wl::diagnosis
