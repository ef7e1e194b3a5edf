// `warplens accept`: the rows of the acceptance table and their two spellings.
#pragma once

#include "app/cli/accept/accept_measured.h"
#include "app/cli/formats/report.h"
#include "app/cli/print.h"
#include "instrumentation/diagnosis/accept.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct AcceptRow {
    std::string kernel, title, preset;  // title: of the kernel, or what its first fault does
    std::vector<std::string> faults;
    std::string settings;        // of the preset: "B=2 S=2048"
    std::string usual;           // the kernel's own parameters: "B=1 S=512"
    std::string problem;         // why it could not be run; then `result` is empty
    std::optional<GpuTime> gpu;  // by --measured
    diagnosis::Acceptance result;
};
enum class RowVerdict { accepted, refused, unsupported, error };
RowVerdict verdict_of(const AcceptRow& row);

struct AcceptSummary {
    std::vector<RowVerdict> verdicts;
    std::string resources;  // where the registers come from
    std::string gpu;        // where its times come from, or why there are none
    bool measured = false;  // there is a column of them
    int64_t counted = 0;    // blocks of a launch in which wavefronts were counted, at most
};

// The heading of a kernel's rows, each row as it is there, and what the table means.
std::string accept_heading(const std::vector<AcceptRow>& rows, bool measured, const Style& style);
std::string accept_text(const AcceptRow& row, bool measured, const Style& style);
std::string accept_footer(const AcceptSummary& summary, const Style& style);

std::string accept_json(const std::vector<std::string>& rows, const AcceptSummary& summary, uint64_t seed);
std::string accept_row_json(const AcceptRow& row);
ReportCase accept_case(const AcceptRow& row);

}  // namespace wl::app
