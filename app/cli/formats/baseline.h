// Findings that are known and accepted for now: a file of them, and what a run has beside them.
#pragma once

#include "app/cli/formats/report.h"
#include "app/cli/options.h"

#include <string>
#include <vector>

namespace wl::app {

// One finding, so that it is the same after lines moved: by the text of its line, not by its number.
struct KnownFinding {
    std::string kernel, rule, file;
    std::string at;     // ReportItem::anchor
    int64_t count = 1;  // so many alike in one run
    bool operator==(const KnownFinding&) const = default;
};

struct BaselineAnswer {
    std::string file;
    int64_t known = 0;
    std::vector<ReportItem> fresh;     // not in the file
    std::vector<KnownFinding> mended;  // in the file, of a kernel that ran, and no longer there
};

// Marks what is known in the report: it becomes a note, and a case that has nothing else is ok. Throws Error
// when the file cannot be read or is no baseline.
BaselineAnswer judge_by_baseline(Report& report, const std::string& file);

// Makes the findings of the report the known ones of its kernels; those of other kernels in the file stay.
void write_baseline(const Report& report, const std::string& file);

// What --baseline and --write-baseline make of a verb's answer; without them nothing.
struct Gate {
    std::string text;  // behind the verb's own
    std::string json;  // the member "baseline"
    int status = 0;    // in place of the verb's own
};
Gate gate(const OutputOptions& options, Report& report, int status);

// Throws the Error before minutes of work, not behind them.
void require_baseline(const OutputOptions& options);

// `summary`, a JSON object, with the member "baseline".
std::string with_baseline(const std::string& summary, const Gate& gated);

}  // namespace wl::app
