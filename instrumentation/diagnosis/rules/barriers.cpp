#include "instrumentation/diagnosis/rules/barriers.h"

#include "instrumentation/diagnosis/rewrite/source.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/source_trials.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <filesystem>

namespace wl::diagnosis {

namespace {

bool is_divergent(const capture::Finding& f) { return f.rule == "divergent_barrier"; }

// How many `if` and `else` hold the line.
int conditions_around(const rewrite::Source& source, int line) {
    int out = 0;
    for (const rewrite::Body& body : source.bodies)
        for (const rewrite::Statement& st : body.statements) {
            if (st.word != "if" || st.body_last < 0) continue;
            int last = st.body_last;
            if (source.is(last + 1, "else") && source.is(last + 2, "{")) last = source.at(last + 2).match;
            out += line > source.at(st.first).line && line <= source.at(last).line ? 1 : 0;
        }
    return out;
}

}  // namespace

void blame_conditional(const Symptoms& s, std::vector<capture::Finding>& findings) {
    const auto first = std::find_if(findings.begin(), findings.end(), is_divergent);
    const std::filesystem::path path = s.experiment.problem.kernel.source;
    if (std::count_if(findings.begin(), findings.end(), is_divergent) < 2 || path.extension() == ".ptx")
        return;
    const compile::Unit unit = unit_of(s.experiment);
    const manifest::Problem& p = s.experiment.problem;
    const rewrite::Source source =
        rewrite::read_source(unit.text, located_lines(s.experiment, unit), p.defines, p.kernel.entry);
    const auto conditions = [&](const capture::Finding& f) {
        const std::optional<int> line = line_in(unit, f.where.file, f.where.line);
        return is_divergent(f) && line ? conditions_around(source, *line) : -1;
    };
    const auto most = std::max_element(first, findings.end(), [&](const auto& a, const auto& b) {
        return conditions(a) < conditions(b);
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
