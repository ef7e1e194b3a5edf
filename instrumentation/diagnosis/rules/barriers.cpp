#include "instrumentation/diagnosis/rules/barriers.h"

#include "instrumentation/diagnosis/rewrite/source.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/source_trials.h"
#include "instrumentation/diagnosis/search/suspects/makers.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace wl::diagnosis {

namespace {

bool is_divergent(const capture::Finding& f) { return f.rule == "divergent_barrier"; }

// How many `if` and `else` hold the line.
int conditions_around(const rewrite::Source& source, int line) {
    int out = 0;
    for (const rewrite::Body& body : source.bodies)
        for (const rewrite::Statement& st : body.statements) {
            if (st.word != "if" || st.body_last < 0) continue;
            const int last = last_decided(source, st);
            out += line > source.at(st.first).line && line <= source.at(last).line ? 1 : 0;
        }
    return out;
}

// The barrier that the others wait at.
void tell_other(const Symptoms& s, capture::Finding& f) {
    const std::string was = place(f.where), now = place(f.other);
    const size_t wait = f.title.find(", while the others wait");
    if (wait == std::string::npos || !f.title.starts_with(was)) return;
    f.title = now + f.title.substr(was.size(), wait - was.size()) + ", while the others wait at " + was;
    f.explanation +=
        fmt::format(" {} stands under a condition that not all of them meet.", quoted(s.capture, f.other));
    std::swap(f.where, f.other);
    std::erase_if(f.evidence, [](const auto& e) { return e.first == "other_site"; });
    for (auto& [name, value] : f.evidence)
        if (name == "site") name = "other_site";
}

}  // namespace

void blame_conditional(const Symptoms& s, std::vector<capture::Finding>& findings) {
    const auto first = std::find_if(findings.begin(), findings.end(), is_divergent);
    const std::filesystem::path path = s.experiment.problem.kernel.source;
    const bool has_source = !path.empty() && path.extension() != ".ptx";  // a launch of a program has none
    if (first == findings.end() || !has_source) return;
    const compile::Unit unit = unit_of(s.experiment);
    const manifest::Problem& p = s.experiment.problem;
    const rewrite::Source source =
        rewrite::read_source(unit.text, located_lines(s.experiment, unit), p.defines, p.kernel.entry);
    const auto conditions = [&](const capture::Where& at) {
        const std::optional<int> line = line_in(unit, at.file, at.line);
        return line ? conditions_around(source, *line) : -1;
    };
    for (capture::Finding& f : findings)
        if (is_divergent(f) && conditions(f.other) > conditions(f.where)) tell_other(s, f);
    const auto most = std::max_element(first, findings.end(), [&](const auto& a, const auto& b) {
        return (is_divergent(a) ? conditions(a.where) : -2) < (is_divergent(b) ? conditions(b.where) : -2);
    });
    std::rotate(first, most, most + 1);
    const auto cause = static_cast<int>(first - findings.begin());
    for (auto f = first + 1; f != findings.end(); ++f) {
        if (!is_divergent(*f) || f->where.block != first->where.block) continue;
        f->caused_by = cause;
        f->proof += "; out of step with the barrier above";
    }
}

}  // namespace wl::diagnosis
