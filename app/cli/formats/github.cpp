// Lines that GitHub Actions turns into annotations ("Workflow commands": error, warning and notice).
#include "app/cli/formats/report.h"
#include "instrumentation/base/output/visible.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace wl::app {

namespace {

// `property`: between :: and ::, where a colon and a comma mean something too.
std::string escaped(const std::string& text, bool property) {
    std::string out;
    for (const char c : visible(text)) {
        const bool meant = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        out += meant ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return out;
}

// A line that is no command: GitHub's runner takes one for that which begins with "::", or holds "##["
// anywhere.
std::string plain_line(const std::string& text) {
    std::string out = visible_line(text);
    const size_t begin = std::min(out.find_first_not_of(' '), out.size());
    if (std::string_view(out).substr(begin).starts_with("::")) out.replace(begin, 2, "%3A%3A");
    for (size_t at = out.find("##["); at != std::string::npos; at = out.find("##["))
        out.replace(at, 3, "##%5B");
    return out + "\n";
}

std::string line_of(const ReportItem& item) {
    const char* command = item.level == Level::error ? "error"
        : item.level == Level::warning               ? "warning"
                                                     : "notice";
    std::string where;
    if (item.line > 0) where = fmt::format("file={},line={},", escaped(item.file, true), item.line);
    return fmt::format(
        "::{} {}title={}::{}\n", command, where, escaped(item.rule, true), escaped(item.text, false)
    );
}

}  // namespace

std::string github_text(const Report& report) {
    std::string out;
    for (const ReportCase& run : report.cases) {
        for (const ReportItem& item : run.items) out += line_of(item);
        out += plain_line(run.name + ": " + run.verdict + (run.said.empty() ? "" : "; " + run.said));
    }
    return out;
}

}  // namespace wl::app
