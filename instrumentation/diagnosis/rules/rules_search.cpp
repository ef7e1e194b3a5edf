// What no rule explains: a change of the program that mends it, searched for.
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/diagnosis/search/search.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

// Nothing where it is one already, or there is no source to make it of.
std::optional<Experiment> other_build(const Symptoms& s) {
    if (s.experiment.options.debug) return std::nullopt;
    try {
        return debug_build_of(s.experiment);
    } catch (const Error&) { return std::nullopt; }
}

std::string change_text(const Candidate& c) { return fmt::format("`{}` in place of `{}`", c.now, c.was); }

capture::Finding finding_of(const Symptoms& s, const Experiment& build, const SearchResult& found) {
    const Candidate& c = found.mended.front().candidate;
    capture::Finding f;
    f.rule = c.rule;
    f.where = where_in(build.module, c.location);
    f.where.block = s.block;
    f.title = fmt::format("`{}` should be `{}`", c.was, c.now);
    f.explanation = fmt::format(
        "With {} at {} every result comes inside its bound.", change_text(c), quoted(s.capture, f.where)
    );
    for (size_t k = 1; k < found.mended.size(); ++k) {
        const Candidate& other = found.mended[k].candidate;
        f.explanation += fmt::format(
            " So it does with {} at {}.",
            change_text(other),
            quoted(s.capture, where_in(build.module, other.location))
        );
    }
    f.evidence_kind = capture::EvidenceKind::counterfactual;
    f.proof = found.mended.front().proof;
    f.evidence = {
        {"tried",      static_cast<double>(found.tried)     },
        {"candidates", static_cast<double>(found.candidates)}
    };
    return f;
}

// The lines that wrote what is wrong, and where a fault was seen.
std::vector<Suspect> suspects_of(const Symptoms& s) {
    std::vector<capture::Where> places;
    const auto add = [&](const capture::Finding& f) { places.push_back(f.where), places.push_back(f.other); };
    const bool in_tile =
        s.first_bad >= 0 && s.capture.tiles[static_cast<size_t>(s.first_bad)].block != capture::kWholeLaunch;
    capture::Finding found;
    if (in_tile) {
        place_tile(s, found);
        add(found);
    }
    for (const capture::Output& o : s.capture.outputs) {
        if (in_tile || o.verdict != capture::Verdict::bad) continue;
        found = {};
        place_output(s, o, found);
        add(found);
    }
    for (const execution::Incident& i : s.incidents) {
        if (i.kind == execution::Incident::Kind::uniform_reduction) continue;
        places.push_back(where_of_access(s, i.first)), places.push_back(where_of_access(s, i.second));
    }
    std::vector<Suspect> out;
    for (const capture::Where& w : places)
        if (w.line > 0) out.push_back({w.file, w.line});
    return out;
}

}  // namespace

Ruled search_rule(const Symptoms& s) {
    const double seconds = s.experiment.options.search_seconds;
    const bool wrong = s.first_bad >= 0 || !s.incidents.empty();
    if (seconds <= 0 || !wrong || !s.experiment.reference) return {};
    const std::optional<Experiment> debug = other_build(s);
    const Experiment& build = debug ? *debug : s.experiment;
    const SearchResult found = search(s, build, suspects_of(s), seconds);
    Ruled out;
    if (found.mended.empty()) {
        out.tried = found.unsupported.empty()
            ? fmt::format(
                  "Of {} small changes of the program {} were tried; none mends it.",
                  found.candidates,
                  found.tried
              )
            : fmt::format("No change was tried: {}.", found.unsupported);
        return out;
    }
    out.findings.push_back(finding_of(s, build, found));
    out.explains = out.mends = true;
    return out;
}

}  // namespace wl::diagnosis
