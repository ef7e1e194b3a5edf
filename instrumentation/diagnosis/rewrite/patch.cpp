// One hunk: changes are of one place, or of a few near each other.
#include "instrumentation/base/lines.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace wl::diagnosis::rewrite {

std::string patch_of(const std::string& file, const std::string& was, const std::string& now) {
    constexpr size_t kAround = 3;
    const std::vector<std::string_view> a = lines_of(was), b = lines_of(now);
    size_t same = 0, tail = 0;
    const size_t shorter = std::min(a.size(), b.size());
    while (same < shorter && a[same] == b[same]) ++same;
    if (same == a.size() && same == b.size()) return {};
    while (tail < shorter - same && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    const size_t from = same > kAround ? same - kAround : 0, behind = std::min(tail, kAround);
    const size_t a_end = a.size() - tail, b_end = b.size() - tail;
    std::string out = fmt::format(
        "--- a/{0}\n+++ b/{0}\n@@ -{1},{2} +{1},{3} @@\n",
        file,
        from + 1,
        a_end + behind - from,
        b_end + behind - from
    );
    const auto put = [&out](char mark, std::string_view line) {
        out.append(1, mark).append(line).append(1, '\n');
    };
    for (size_t k = from; k < same; ++k) put(' ', a[k]);
    for (size_t k = same; k < a_end; ++k) put('-', a[k]);
    for (size_t k = same; k < b_end; ++k) put('+', b[k]);
    for (size_t k = a_end; k < a_end + behind; ++k) put(' ', a[k]);
    return out;
}

}  // namespace wl::diagnosis::rewrite
