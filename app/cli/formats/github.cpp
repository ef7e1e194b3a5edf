// Lines that GitHub Actions turns into annotations ("Workflow commands": error, warning and notice).
#include "app/cli/formats/report.h"

#include <fmt/format.h>

namespace wl::app {

namespace {

// `property`: between :: and ::, where a colon and a comma mean something too.
std::string escaped(const std::string& text, bool property) {
    std::string out;
    for (const char c : text) {
        const bool meant = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
        out += meant ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return out;
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
        out += fmt::format("{}: {}{}\n", run.name, run.verdict, run.said.empty() ? "" : "; " + run.said);
    }
    return out;
}

}  // namespace wl::app
