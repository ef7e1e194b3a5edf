// JUnit's XML, as build servers read it: a suite a verb or kernel, a case a run. Findings fail a case; what
// could not be compared or run is an error of it.
#include "app/cli/formats/report.h"
#include "instrumentation/base/output/visible.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::app {

namespace {

// Line feeds and tabs of an attribute as references: a parser makes blanks of others (XML 1.0, 3.3.3).
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : escape_markup(text))
        out += c == '\n' ? "&#10;" : c == '\t' ? "&#9;" : std::string(1, c);
    return out;
}

bool is_failure(const ReportCase& run) { return run.verdict == "findings"; }
bool is_error(const ReportCase& run) { return run.verdict != "findings" && run.verdict != "ok"; }

std::string place_text(const ReportItem& item) {
    return item.line > 0 ? fmt::format("{}:{}: ", item.file, item.line) : "";
}

std::string case_text(const ReportCase& run) {
    std::string out = fmt::format(
        R"(    <testcase classname="{}" name="{}" time="{:.3f}")",
        escaped(run.group),
        escaped(run.name),
        run.seconds
    );
    if (!is_failure(run) && !is_error(run)) return out + "/>\n";
    const char* element = is_failure(run) ? "failure" : "error";
    const ReportItem none;
    const ReportItem& first = run.items.empty() ? none : run.items.front();
    out += fmt::format(
        ">\n      <{} type=\"{}\" message=\"{}\">",
        element,
        escaped(first.rule.empty() ? run.verdict : first.rule),
        escaped(place_text(first) + first.title)
    );
    for (const ReportItem& item : run.items)
        out += escaped(fmt::format("{}{}: {}\n", place_text(item), item.rule, item.text));
    return out + fmt::format("</{}>\n    </testcase>\n", element);
}

std::string counts_text(const std::vector<ReportCase>& cases) {
    double seconds = 0;
    for (const ReportCase& run : cases) seconds += run.seconds;
    return fmt::format(
        R"(tests="{}" failures="{}" errors="{}" time="{:.3f}")",
        cases.size(),
        std::count_if(cases.begin(), cases.end(), is_failure),
        std::count_if(cases.begin(), cases.end(), is_error),
        seconds
    );
}

}  // namespace

std::string junit_text(const Report& report) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    out += fmt::format("<testsuites name=\"warplens\" {}>\n", counts_text(report.cases));
    out += fmt::format(
        "  <testsuite name=\"warplens {}\" {}>\n", escaped(report.verb), counts_text(report.cases)
    );
    for (const ReportCase& run : report.cases) out += case_text(run);
    return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace wl::app
