// The findings of a page: the root cause first, what follows from it behind it, each with the lines it is
// about.
#include "app/cli/formats/page.h"
#include "app/cli/print.h"
#include "instrumentation/base/output/visible.h"
#include "instrumentation/capture/evidence.h"
#include "instrumentation/capture/ran.h"

#include <fmt/format.h>
#include <sstream>

namespace wl::app {

namespace {

constexpr int kBefore = 4, kBehind = 3;  // lines of the source around one that is meant

std::string excerpt(const capture::Capture& c, const capture::Where& where) {
    for (const capture::Source& source : c.sources) {
        if (where.line <= 0 || source.path != where.file) continue;
        std::string out = "<pre>", line;
        std::istringstream lines(source.text);
        for (int number = 1; number <= where.line + kBehind && std::getline(lines, line); ++number) {
            if (number < where.line - kBefore) continue;
            const char* here = number == where.line ? " class=\"here\"" : "";
            out += fmt::format("<span{}><i>{}</i>{}</span>", here, number, escape_markup(line));
        }
        return out + "</pre>\n";
    }
    return "";
}

std::string place(const capture::Capture& c, const capture::Where& where, const char* word) {
    const std::string text = where_text(c, where);
    if (text.empty()) return "";
    return fmt::format("<p class=\"dim\">{} <code>{}</code></p>\n", word, escape_markup(text)) +
        excerpt(c, where);
}

std::string finding(const capture::Capture& c, size_t index) {
    const capture::Finding& f = c.findings[index];
    const std::string_view evidence = capture::name_of(f.evidence_kind);
    const bool follows = f.caused_by >= 0;
    std::string out = fmt::format(
        "<article{}>\n<header><span class=\"dim\">{}</span><code>{}</code><span "
        "class=\"{}\">{}</span>{}</header>\n"
        "<h3>{}</h3>\n",
        follows ? " class=\"follows\"" : "",
        index + 1,
        escape_markup(f.rule),
        !follows && is_proven(f) ? "good" : "dim",
        follows ? fmt::format("consequence of {}", f.caused_by + 1) : std::string(evidence),
        f.count > 1 ? fmt::format("<span class=\"dim\">{} times</span>", f.count) : "",
        escape_markup(f.title)
    );
    out += place(c, f.where, "at") + "<p>" + escape_markup(f.explanation) + "</p>\n";
    if (!f.pattern.empty()) out += "<p class=\"dim\">wrong: " + escape_markup(f.pattern) + "</p>\n";
    if (f.other.line > 0) out += place(c, f.other, "and");
    if (!f.proof.empty())
        out += fmt::format("<p class=\"proof\">{}: {}</p>\n", evidence, escape_markup(f.proof));
    if (const std::string ran = capture::ran_text(f); !ran.empty())
        out += "<p class=\"dim\">ran: " + escape_markup(ran) + "</p>\n";
    return out + "</article>\n";
}

}  // namespace

std::string findings_part(const capture::Capture& c) {
    if (c.findings.empty()) return "";
    std::string out = "<h2>Findings</h2>\n";
    for (size_t i = 0; i < c.findings.size(); ++i) out += finding(c, i);
    return out;
}

}  // namespace wl::app
