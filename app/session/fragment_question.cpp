// Sites are instructions as text; their line is the author's.
#include "app/session/fragment_question.h"

#include "app/session/lane_question.h"
#include "app/session/lookup.h"
#include "app/session/navigate.h"
#include "instrumentation/base/block_text.h"

#include <algorithm>
#include <string_view>

namespace wl::app {

namespace {

bool has_word(std::string_view text, std::string_view word) {
    return text.find(word) != std::string_view::npos;
}

// Empty: no instruction with fragments.
std::string what_of(std::string_view text) {
    if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    if (text.starts_with("wmma.load."))
        return std::string("load ") + std::string(text.substr(std::string_view("wmma.load.").size(), 1));
    if (text.starts_with("wmma.store")) return "store";
    if (text.starts_with("wmma.mma")) return "product";
    if (text.starts_with("mma.sp")) return "mma.sp";
    if (text.starts_with("mma.sync")) return "mma";
    for (const char* word : {"ldmatrix", "stmatrix", "movmatrix"})
        if (text.starts_with(word)) return word;
    return has_word(text, "//@wl fragment") ? "mark" : "";
}

bool same_line(const capture::Site& a, const capture::Site& b) {
    return a.source == b.source && a.line == b.line;
}

// Is the site, or a call through which it was inlined, on the line?
bool is_on(const capture::Capture& c, int site, const capture::Site& line) {
    for (int s = site; s >= 0; s = c.sites[static_cast<size_t>(s)].inlined_at)
        if (same_line(c.sites[static_cast<size_t>(s)], line)) return true;
    return false;
}

std::string stage_words(const Session& session, const Selection& selection) {
    const int record = shown_record(session, selection);
    if (record < 0) return "";
    for (const analysis::StageSpan& span : session.timelines[static_cast<size_t>(record)].stages) {
        const bool inside =
            span.warp == selection.warp && selection.time >= span.begin && selection.time <= span.end;
        if (inside && span.stage >= 0)
            return " --from-stage " + quoted(session.capture.stages[static_cast<size_t>(span.stage)]) +
                " --iteration " + std::to_string(span.iteration);
    }
    return "";
}

}  // namespace

std::vector<FragmentLine> fragment_lines(const capture::Capture& c) {
    std::vector<FragmentLine> lines;
    for (size_t i = 0; i < c.sites.size(); ++i) {
        const std::string what = what_of(c.sites[i].text);
        if (what.empty()) continue;
        const int site = user_site(c, static_cast<int>(i));
        const capture::Site& place = c.sites[static_cast<size_t>(site)];
        if (place.source < 0) continue;
        const bool known = std::any_of(lines.begin(), lines.end(), [&](const FragmentLine& l) {
            return same_line(c.sites[static_cast<size_t>(l.site)], place);
        });
        if (!known)
            lines.push_back(
                {site, file_name(c.sources[static_cast<size_t>(place.source)].path), place.line, what}
            );
    }
    std::sort(lines.begin(), lines.end(), [](const FragmentLine& a, const FragmentLine& b) {
        return a.line < b.line;
    });
    return lines;
}

FragmentQuestion fragment_question(
    const Session& session, const Selection& selection, const std::vector<FragmentLine>& lines, bool exact
) {
    FragmentQuestion q;
    const int record = shown_record(session, selection);
    const int64_t block = selection.block >= 0 ? selection.block
        : record < 0                           ? 0
                                               : session.capture.records[static_cast<size_t>(record)].block;
    q.words = "--fragments --block " + block_words(block, session.capture.launch.grid) + " --warp " +
        std::to_string(selection.warp);
    for (size_t i = 0; i < lines.size() && selection.site >= 0; ++i)
        if (is_on(session.capture, selection.site, session.capture.sites[static_cast<size_t>(lines[i].site)]))
            q.line = static_cast<int>(i);
    if (q.line < 0) {
        q.words += " --time " + std::to_string(selection.time);
        return q;
    }
    const FragmentLine& line = lines[static_cast<size_t>(q.line)];
    q.words += " --line " + std::to_string(line.line) + " --file " + quoted(line.file);
    q.words += exact ? " --time " + std::to_string(selection.time) : stage_words(session, selection);
    return q;
}

}  // namespace wl::app
