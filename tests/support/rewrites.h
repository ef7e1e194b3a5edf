// Which of many changes of a text makes another text of it.
#pragma once

#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace wl::test {

inline std::string without_spaces(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
}

// Each of the first forty lines has code.
inline diagnosis::rewrite::Source source_of(const std::string& text) {
    std::set<int> lines;
    for (int k = 1; k < 40; ++k) lines.insert(k);
    return diagnosis::rewrite::read_source(text, lines, {});
}

// Spaces do not count. The end: none does.
inline std::vector<diagnosis::rewrite::Rewrite>::const_iterator change_into(
    const std::vector<diagnosis::rewrite::Rewrite>& all, const std::string& text, const std::string& other
) {
    return std::find_if(all.begin(), all.end(), [&, wanted = without_spaces(other)](const auto& r) {
        return without_spaces(diagnosis::rewrite::rewritten(text, r)) == wanted;
    });
}

// One of the first `before` changes.
inline void expect_change_into(
    const std::vector<diagnosis::rewrite::Rewrite>& all,
    const std::string& text,
    const std::string& other,
    size_t before
) {
    const auto found = change_into(all, text, other);
    ASSERT_NE(found, all.end()) << text << " -> " << other;
    EXPECT_LT(static_cast<size_t>(found - all.begin()), before) << other;
}

}  // namespace wl::test
