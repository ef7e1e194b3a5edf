// A patch is read where it changes lines; what it keeps has to be there.
#include "app/session/headline.h"

#include "app/session/compare/against.h"
#include "app/session/lookup.h"
#include "instrumentation/analysis/verdict.h"
#include "instrumentation/base/lines.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace wl::app {

namespace {

std::string line_of(const capture::Capture& c, const capture::Where& where) {
    for (const capture::Source& source : c.sources) {
        if (file_name(source.path) != file_name(where.file)) continue;
        const std::vector<std::string_view> lines = lines_of(source.text);
        if (where.line > 0 && where.line <= static_cast<int>(lines.size()))
            return std::string(trimmed(lines[static_cast<size_t>(where.line) - 1]));
    }
    return "";
}

// The first line that goes and the first that comes.
void take_patch(const std::string& patch, Headline& out) {
    bool goes = false, comes = false;
    for (const std::string_view line : lines_of(patch)) {
        if (line.starts_with("---") || line.starts_with("+++") || line.empty()) continue;
        if (line[0] == '-' && !goes) out.was = trimmed(line.substr(1)), goes = true;
        if (line[0] == '+' && !comes) out.now = trimmed(line.substr(1)), comes = true;
    }
    out.has_patch = goes || comes;
    if (!goes && comes) out.was.clear();
}

// The lines of the file that a patch shows: those that it changes and those around them.
bool shows(const std::string& patch, const capture::Where& where) {
    bool of_file = false;
    for (const std::string_view line : lines_of(patch)) {
        if (line.starts_with("+++ "))
            of_file = file_name(std::string(line.substr(4))) == file_name(where.file);
        if (!of_file || !line.starts_with("@@ -")) continue;
        const std::string range(line.substr(4));
        const size_t comma = range.find(',');
        const int first = std::atoi(range.c_str()),
                  count = comma < range.find(' ') ? std::atoi(range.c_str() + comma + 1) : 1;
        if (where.line >= first && where.line < first + count) return true;
    }
    return false;
}

// What a proof ends with is what to do: "Put a __syncthreads() between the two." Without one, what was seen.
std::string telling_sentence(const capture::Finding& f) {
    const std::string& text = f.explanation;
    const bool changed =
        f.evidence_kind == capture::EvidenceKind::proven || f.evidence_kind == capture::EvidenceKind::mends;
    if (!changed) return text.substr(0, std::min(text.size(), text.find(". ")));
    const size_t end = text.find_last_not_of(". ");
    if (end == std::string::npos) return "";
    const size_t before = text.rfind(". ", end);
    return text.substr(before == std::string::npos ? 0 : before + 2);
}

std::string outcome_of(const capture::Capture& b) {
    const std::string compared = analysis::compared_text(b);
    if (b.verdict == "ok")
        return "With the fix everything is right" + (compared.empty() ? "" : ": " + compared);
    if (b.findings.empty()) return "With the fix: " + b.verdict;
    return "With the fix there is still: " + b.findings.front().title;
}

}  // namespace

std::string patch_of(const Session& session, int finding) {
    const auto& findings = session.capture.findings;
    if (finding < 0 || finding >= static_cast<int>(findings.size())) return "";
    const capture::Finding& f = findings[static_cast<size_t>(finding)];
    const bool other = f.other.line > 0 && shows(session.fix, f.other);
    return f.caused_by < 0 && (shows(session.fix, f.where) || other) ? session.fix : "";
}

std::optional<Headline> headline_of(const Session& session, const Selection& selection) {
    const auto& findings = session.capture.findings;
    if (findings.empty()) return std::nullopt;
    const bool chosen = selection.finding >= 0 && selection.finding < static_cast<int>(findings.size());
    Headline out;
    out.finding = chosen ? selection.finding : 0;
    const capture::Finding& f = findings[static_cast<size_t>(out.finding)];
    out.sentence = f.title;
    out.known = std::string(capture::name_of(f.evidence_kind));
    if (f.where.line > 0) out.place = file_name(f.where.file) + ":" + std::to_string(f.where.line);
    out.was = line_of(session.capture, f.where);
    if (patch_of(session, out.finding).empty())
        out.advice = telling_sentence(f);
    else
        take_patch(session.fix, out);
    const Against& against = session.against;
    if (against.other && against.fix_of == out.finding)
        out.outcome = outcome_of(*against.other), out.mends = against.other->verdict == "ok";
    return out;
}

int finding_after(const Session& session, int finding) {
    const auto& findings = session.capture.findings;
    std::vector<int> order;
    for (const bool causes : {true, false})
        for (int i = 0; i < static_cast<int>(findings.size()); ++i)
            if ((findings[static_cast<size_t>(i)].caused_by < 0) == causes) order.push_back(i);
    if (order.empty()) return -1;
    const auto at = std::ranges::find(order, finding);
    return at == order.end() || std::next(at) == order.end() ? order.front() : *std::next(at);
}

std::optional<std::string> patched(std::string_view text, std::string_view patch, const std::string& file) {
    const std::vector<std::string_view> lines = lines_of(text);
    std::string out;
    size_t next = 0;  // line of the text that comes next, from 0
    bool of_file = false, changed = false;
    for (const std::string_view line : lines_of(patch)) {
        if (line.starts_with("--- ")) continue;
        if (line.starts_with("+++ ")) {
            of_file = file_name(std::string(line.substr(4))) == file_name(file);
        } else if (of_file && line.starts_with("@@ -")) {
            const int first = std::atoi(std::string(line.substr(4)).c_str());
            if (first < 1 || static_cast<size_t>(first) - 1 > lines.size() ||
                static_cast<size_t>(first) - 1 < next)
                return std::nullopt;
            for (; next + 1 < static_cast<size_t>(first); ++next) out += std::string(lines[next]) + "\n";
        } else if (of_file && line.starts_with('+')) {
            out += std::string(line.substr(1)) + "\n", changed = true;
        } else if (of_file && (line.starts_with('-') || line.starts_with(' '))) {
            if (next >= lines.size() || lines[next] != line.substr(1)) return std::nullopt;
            if (line[0] == ' ') out += std::string(lines[next]) + "\n";
            ++next, changed = true;
        }
    }
    if (!changed) return std::nullopt;
    for (; next < lines.size(); ++next) out += std::string(lines[next]) + "\n";
    return out;
}

}  // namespace wl::app
