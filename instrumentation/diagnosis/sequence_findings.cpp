#include "instrumentation/diagnosis/sequence_findings.h"

#include <algorithm>

namespace wl::diagnosis {

namespace {

bool mends_all(const capture::Finding& f) {
    return capture::is_proven(f) && std::any_of(f.evidence.begin(), f.evidence.end(), [](const auto& e) {
               return e.first == kNoFaultLeft && e.second != 0;
           });
}

bool is_same_change(const capture::Finding& a, const capture::Finding& b) {
    return a.rule == b.rule && a.title == b.title && a.where.line == b.where.line;
}

// Threads that update one place at one line, without an atomic: nothing before them makes them do so.
bool is_lost_update(const capture::Finding& f) {
    return f.rule.starts_with("race_") && f.caused_by < 0 && f.where.line > 0 &&
        f.where.line == f.other.line && f.where.file == f.other.file;
}

// A launch that wrote what a later one should have changed claims no cause.
void lead_by_lost_update(std::vector<capture::Finding>& findings) {
    if (findings.empty() || findings.front().rule != "values_differ") return;
    const auto found = std::find_if(findings.begin(), findings.end(), is_lost_update);
    const bool is_later = found != findings.end() && found->where.launch > findings.front().where.launch;
    if (!is_later || std::any_of(findings.begin(), findings.end(), capture::is_proven)) return;
    const auto at = static_cast<int>(found - findings.begin());
    std::rotate(findings.begin(), found, found + 1);
    for (capture::Finding& f : findings)
        if (f.caused_by >= 0) f.caused_by = f.caused_by == at ? 0 : f.caused_by + (f.caused_by < at ? 1 : 0);
}

}  // namespace

bool is_explained(const capture::Capture& c) {
    return std::any_of(c.findings.begin(), c.findings.end(), capture::is_proven);
}

bool is_all_explained(const capture::Capture& c) {
    return std::any_of(c.findings.begin(), c.findings.end(), mends_all);
}

void add_findings(const std::vector<capture::Finding>& from, std::vector<capture::Finding>& to) {
    const auto first = static_cast<int>(to.size());
    for (capture::Finding f : from) {
        if (f.caused_by >= 0) f.caused_by += first;
        to.push_back(std::move(f));
    }
}

void lead_by_cause(std::vector<capture::Finding>& findings) {
    const auto found = std::find_if(findings.begin(), findings.end(), mends_all);
    if (found == findings.end()) return lead_by_lost_update(findings);
    const auto at = static_cast<int>(found - findings.begin());
    std::rotate(findings.begin(), found, found + 1);
    const capture::Finding& cause = findings.front();
    for (size_t k = 1; k < findings.size(); ++k) {
        capture::Finding& f = findings[k];
        if (f.caused_by >= 0) f.caused_by = f.caused_by == at ? 0 : f.caused_by + (f.caused_by < at ? 1 : 0);
        const bool another = capture::is_proven(f) && !is_same_change(f, cause);
        if (f.caused_by >= 0 || another) continue;
        f.caused_by = 0;
        f.proof += (f.proof.empty() ? "" : "; ") + std::string("gone with the change of the cause");
    }
}

}  // namespace wl::diagnosis
