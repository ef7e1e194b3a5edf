// Memory instructions are told by their text.
#include "app/session/shared/shared_question.h"

#include "app/session/navigate.h"
#include "instrumentation/base/block_text.h"

#include <algorithm>
#include <string_view>

namespace wl::app {

namespace {

bool touches_memory(std::string_view text) {
    if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    constexpr std::string_view kBegins[] = {
        "ld.shared", "st.shared", "ld.global", "st.global",  "ld.volatile", "st.volatile",
        "ld.f",      "st.f",      "ld.u",      "st.u",       "ld.v",        "st.v",
        "ld.b",      "st.b",      "ld.s",      "atom.",      "red.shared",  "red.global",
        "ldmatrix",  "stmatrix",  "wmma.load", "wmma.store", "cp.async"};
    return std::any_of(std::begin(kBegins), std::end(kBegins), [&](std::string_view b) {
        return text.starts_with(b);
    });
}

// The line in the kernel's own file that a site was inlined into.
int own_line(const capture::Capture& c, int site) {
    for (int s = site; s >= 0; s = c.sites[static_cast<size_t>(s)].inlined_at)
        if (c.sites[static_cast<size_t>(s)].source == 0) return c.sites[static_cast<size_t>(s)].line;
    return 0;
}

}  // namespace

int memory_line(const capture::Capture& c, int site) {
    if (site < 0 || site >= static_cast<int>(c.sites.size())) return 0;
    const int line = own_line(c, site);
    for (size_t s = 0; line > 0 && s < c.sites.size(); ++s)
        if (touches_memory(c.sites[s].text) && own_line(c, static_cast<int>(s)) == line) return line;
    return 0;
}

std::string shared_question(const Session& session, const Selection& selection) {
    const int record = shown_record(session, selection);
    const int64_t block = selection.block >= 0 ? selection.block
        : record < 0                           ? 0
                                               : session.capture.records[static_cast<size_t>(record)].block;
    std::string words = "--shared --block " + block_words(block, session.capture.launch.grid) + " --warp " +
        std::to_string(selection.warp) + " --time " + std::to_string(selection.time);
    if (const int line = memory_line(session.capture, selection.site); line > 0)
        words += " --access " + std::to_string(line);
    return words;
}

}  // namespace wl::app
