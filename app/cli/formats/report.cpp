// From captures to reports.
#include "app/cli/formats/report.h"

#include "instrumentation/analysis/verdict.h"
#include "instrumentation/capture/evidence.h"
#include "instrumentation/capture/ran.h"

#include <algorithm>
#include <sstream>

namespace wl::app {

namespace {

std::string kernel_name(const capture::Launch& launch) {
    std::string out = launch.kernel;
    for (const std::string& fault : launch.faults) out += "+" + fault;
    return out;
}

std::string anchor_of(const capture::Capture& c, const capture::Where& where) {
    for (const capture::Source& source : c.sources) {
        if (where.line <= 0 || source.path != where.file) continue;
        std::istringstream lines(source.text), words;
        std::string text, out;
        for (int line = 0; line < where.line && std::getline(lines, text); ++line) {}
        words.str(text);
        for (std::string word; words >> word;) out += (out.empty() ? "" : " ") + word;
        return out;
    }
    return where.tile;
}

}  // namespace

ReportItem item_of(const capture::Finding& f) {
    ReportItem out;
    out.rule = f.rule, out.title = f.title;
    out.level = f.caused_by < 0 ? Level::error : Level::note;
    out.text = f.title + ". " + f.explanation;
    if (!f.proof.empty()) out.text += " " + std::string(capture::name_of(f.evidence_kind)) + ": " + f.proof;
    if (const std::string ran = capture::ran_text(f); !ran.empty()) out.text += " Ran: " + ran + ".";
    if (f.where.line > 0) out.file = f.where.file, out.line = f.where.line;
    if (f.other.line > 0) {
        out.other_file = f.other.file, out.other_line = f.other.line;
        out.other_says = "the other place of this finding";
    }
    return out;
}

ReportCase case_of(const capture::Capture& c, const std::string& verb, const std::string& patch) {
    ReportCase out;
    out.name = out.kernel = kernel_name(c.launch), out.group = verb, out.verdict = c.verdict;
    const std::string compared = analysis::compared_text(c);
    out.said = (compared.empty() ? "" : compared + "; ") + analysis::run_text(c);
    for (const auto& [name, seconds] : c.seconds) out.seconds += seconds;
    for (const std::string& u : c.unsupported) out.items.push_back({"unsupported", Level::error, u, u});
    for (const capture::Finding& f : c.findings) {
        out.items.push_back(item_of(f));
        out.items.back().anchor = anchor_of(c, f.where);
        if (&f == &c.findings.front()) out.items.back().patch = patch;
    }
    if (c.verdict == "error") {
        const std::string problem = "no reference: " + c.covered.reference_problem;
        out.items.push_back({"error", Level::error, problem.substr(0, problem.find('\n')), problem});
    }
    if (c.verdict == "incomplete")
        for (const std::string& gap : analysis::gaps(c))
            out.items.push_back({"incomplete", Level::warning, gap, gap});
    return out;
}

Report report_of_problem(const std::string& verb, const std::string& verdict, const std::string& problem) {
    ReportItem item{verdict, Level::error, problem.substr(0, problem.find('\n')), problem};
    return {verb, {{"warplens " + verb, verb, verdict, "", 0, {std::move(item)}}}};
}

const std::vector<std::string>& format_names() {
    static const std::vector<std::string> kNames = {"text", "json", "sarif", "junit", "github"};
    return kNames;
}

bool is_report_format(const std::string& format) {
    return format == "sarif" || format == "junit" || format == "github";
}

std::string report_text(const Report& report, const std::string& format) {
    return format == "sarif" ? sarif_text(report)
        : format == "junit"  ? junit_text(report)
                             : github_text(report);
}

}  // namespace wl::app
