// Sentences for a panel's foot.
#include "app/session/shared/shared_words.h"

#include "app/worker/declaration.h"

#include <filesystem>
#include <fmt/format.h>

namespace wl::app {

namespace {

std::string name_of_file(const std::string& path) { return std::filesystem::path(path).filename().string(); }

LeadingLine line_of(
    const SharedReport& report, const SharedWhatIf& what, const std::vector<capture::Source>& sources
) {
    if (what.change.swizzle || what.matrix.region < 0) return {};
    const capture::NamedRegion& r = report.state.regions[static_cast<size_t>(what.matrix.region)];
    for (const capture::Source& source : sources)
        if (source.path == r.file || name_of_file(source.path) == name_of_file(r.file))
            return leading_line(source.text, r.line, r.name, what.change.pad);
    return {};
}

}  // namespace

std::string access_words(const capture::LineRequest& r) {
    const RequestCost cost = cost_of(r);
    if (r.global)
        return fmt::format(
            "{} at {}, warp {}: global memory, {} sectors of 32 bytes where {} would do",
            r.text.substr(0, r.text.find(' ')),
            r.place,
            r.warp,
            cost.sector.sectors,
            cost.sector.ideal
        );
    return fmt::format(
        "{} at {}, warp {}: {} phase{}, {} wavefront{} where {} would do, degree {}",
        r.text.substr(0, r.text.find(' ')),
        r.place,
        r.warp,
        cost.phases.size(),
        cost.phases.size() == 1 ? "" : "s",
        cost.bank.wavefronts,
        cost.bank.wavefronts == 1 ? "" : "s",
        cost.bank.ideal,
        cost.bank.degree
    );
}

SharedAdvice shared_advice(
    const SharedReport& report, const SharedWhatIf& what, const std::vector<capture::Source>& sources
) {
    const std::string change = layouts::text_of(what.change);
    if (!what.request.problem.empty())
        return {fmt::format("with {}: not possible, {}", change, what.request.problem), false};
    const PatternTotal t = total_of(report.patterns, what.matrix.matrix, what.change);
    std::string text = fmt::format(
        "with {}: {} wavefronts; all requests of the block on {}: {} to {}",
        change,
        what.request.cost.wavefronts,
        what.matrix.name,
        t.now,
        t.then
    );
    if (!t.problem.empty()) text += ", but not all would be possible: " + t.problem;
    const LeadingLine line = line_of(report, what, sources);
    text += line.line > 0 ? fmt::format("   line {}: {}", line.line, line.then)
                          : "   " + layouts::advice(what.matrix.matrix, what.change);
    return {text, t.then <= t.now && t.problem.empty()};
}

}  // namespace wl::app
