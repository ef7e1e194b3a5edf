// What a run came to, as machines of others read it: SARIF, JUnit and GitHub annotations are three spellings
// of one report.
#pragma once

#include "instrumentation/capture/capture.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

enum class Level : uint8_t { error, warning, note };

struct ReportItem {
    std::string rule;  // of docs/cli.md; "unsupported", "incomplete", "refused", "error"
    Level level = Level::error;
    std::string title, text;  // one sentence; all that is known
    std::string file = {};    // empty: no place
    int line = 0;
    std::string other_file = {}, other_says = {};  // a second place: of a race, of the last writer
    int other_line = 0;
    std::string anchor =
        {};              // what tells it from others of its rule and file when lines move: its line's text
    bool known = false;  // by a baseline
    std::string patch = {};  // of the source, that mends it
};

// One run of one kernel: one shape, one seed.
struct ReportCase {
    std::string name;     // "v2c_3 --fault 32x"
    std::string group;    // the verb, or what several cases are of: a kernel, a file
    std::string verdict;  // of capture::kVerdictWords
    std::string said;     // of an ok one: what it covers
    double seconds = 0;
    std::vector<ReportItem> items;
    std::string kernel = {};  // with its faults, whatever the shape: what a baseline knows it by
};

struct Report {
    std::string verb;
    std::vector<ReportCase> cases;
};

// `patch`: what the first finding rests on; empty: no change of the source.
ReportCase case_of(const capture::Capture& capture, const std::string& verb, const std::string& patch = {});
ReportItem item_of(const capture::Finding& finding);
// Of what could not be run: "error" or "unsupported", and the sentence that says why.
Report report_of_problem(const std::string& verb, const std::string& verdict, const std::string& problem);

std::string sarif_text(const Report& report);
std::string junit_text(const Report& report);
std::string github_text(const Report& report);

// "text", "json" and the three above.
const std::vector<std::string>& format_names();
// Is it one of "sarif", "junit", "github"?
bool is_report_format(const std::string& format);
std::string report_text(const Report& report, const std::string& format);

}  // namespace wl::app
