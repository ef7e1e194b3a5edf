// foreign_input and missing_input: a wrong element that depends on other inputs than its reference does.
#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/diagnosis/why/dependence.h"
#include "instrumentation/diagnosis/why/provenance_lines.h"
#include "instrumentation/travel/instant.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kLongest = 400'000;  // warp instructions of a block that is followed, as budget

// The first wrong element whose block is known.
std::optional<Asked> first_wrong(const Symptoms& s) {
    const capture::Tile& first = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    if (first.block != capture::kWholeLaunch) {
        if (first.first_bad_row < 0 || first.values == capture::kNoBlob) return std::nullopt;
        return Asked{s.first_bad, first.first_bad_row, first.first_bad_col, first.block};
    }
    for (const capture::Output& o : s.capture.outputs) {
        if (o.verdict != capture::Verdict::bad) continue;
        const std::vector<uint8_t> flags = wrong_elements(s.capture, o);
        const auto writers = flags.empty() ? std::nullopt : writers_of(s, o);
        if (!writers) continue;
        const int cols = s.capture.tiles[static_cast<size_t>(o.tile)].cols;
        for (size_t k = 0; k < std::min(flags.size(), writers->size()); ++k)
            if (flags[k] != 0 && (*writers)[k].block >= 0) {
                const auto at = static_cast<int>(k);
                return Asked{o.tile, at / cols, at % cols, (*writers)[k].block};
            }
    }
    return std::nullopt;
}

// What is asked about, followed to where it first goes wrong.
struct Case {
    const Symptoms& s;
    const Chain& chain;
    Asked asked;  // the first wrong element on the way
    const Provenance& found;
};

std::string element_text(const Case& c, int tile, int row, int col) {
    const capture::Tile& t = c.s.capture.tiles[static_cast<size_t>(tile)];
    const std::string& name = c.s.capture.probes[static_cast<size_t>(t.probe)].name;
    if (t.block >= 0) {
        const std::string text = fmt::format("{}[{},{}]", name, row, col);
        return t.iteration > 0 ? fmt::format("{} of iteration {}", text, t.iteration) : text;
    }
    for (const capture::Output& o : c.s.capture.outputs) {
        if (o.name != name || o.shape.empty()) continue;
        std::vector<int64_t> at(o.shape.size());
        int64_t index = int64_t{row} * t.cols + col;
        for (size_t d = at.size(); d-- > 0; index /= o.shape[d]) at[d] = index % o.shape[d];
        return fmt::format("{}[{}]", name, fmt::join(at, ","));
    }
    return fmt::format("{}[{},{}]", name, row, col);
}

std::string text_of(const InputElement& e) { return fmt::format("{}[{}]", e.argument, fmt::join(e.at, ",")); }

InputPlace place_in(const Case& c, const InputElement& e) {
    const std::vector<manifest::BoundArgument>& args = c.chain.problem.args;
    InputPlace out;
    while (args[out.argument].name != e.argument) ++out.argument;
    for (size_t d = 0; d < e.at.size(); ++d)
        out.element = out.element * args[out.argument].data.shape[d] + e.at[d];
    return out;
}

// "lane 3 of warp 0 (time 17 at this instruction)"
std::string lane_text(const Execution& e) {
    const std::string lane = fmt::format("lane {} of warp {}", e.lane, e.warp);
    return e.times_before == 0 ? lane
                               : fmt::format("{} (time {} at this instruction)", lane, e.times_before + 1);
}

// " Where and whether it reads is decided at lines 37 and 51."
std::string deciders_text(const Case& c, const Execution& e) {
    const ProvenanceLine there = place_of_site(c.chain, e.site);
    std::vector<int> lines;
    for (const ProvenanceLine& line : c.found.lines)
        for (const ProvenanceDecider& d : line.deciders)
            if (same_line(line, there) && d.source == there.source && d.line > 0 && d.line != there.line)
                lines.push_back(d.line);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    if (lines.empty()) return "";
    return fmt::format(
        " Where and whether it reads is decided at {} {}.",
        lines.size() == 1 ? "line" : "lines",
        fmt::join(lines, ", ")
    );
}

capture::Where where_of(const Case& c, const Execution& e) {
    capture::Where w = diagnosis::where_of(c.s, e.site);
    w.block = c.asked.block, w.warp = e.warp, w.lanes = fmt::format("{}", e.lane);
    return w;
}

// Names the element.
void place_element(const Case& c, capture::Finding& f) {
    const capture::Tile& t = c.s.capture.tiles[static_cast<size_t>(c.asked.tile)];
    f.where.tile = c.s.capture.probes[static_cast<size_t>(t.probe)].name;
    f.where.element[0] = c.asked.row, f.where.element[1] = c.asked.col;
    f.where.block = c.asked.block;
    if (t.block < 0) return;
    if (f.where.line == 0) {
        const capture::Where mark = where_of_probe(c.s, c.s.capture.probes[static_cast<size_t>(t.probe)]);
        f.where.file = mark.file, f.where.line = mark.line;
    }
    f.where.iteration = t.iteration;
}

std::string entrance_text(const Case& c, const Entrance& e, const std::string& element) {
    const std::string at = quoted(c.s.capture, where_of(c, e.at));
    const std::string of = e.of ? element_text(c, e.of->tile, e.of->row, e.of->col) : "";
    switch (e.kind) {
        case Entrance::Kind::kept:
            return fmt::format(
                "It is part of {}, as it should be, and at {} {} goes on with that value for {}: nothing "
                "sets it "
                "anew in between.",
                of,
                at,
                lane_text(e.at),
                element
            );
        case Entrance::Kind::taken:
            return fmt::format(
                "It is there for {}, which depends on it. At {} {} takes it for {} as well: on the way from "
                "there lies "
                "what is wrong, an index or a place that is not set anew.",
                of,
                at,
                lane_text(e.at),
                element
            );
        case Entrance::Kind::handed:
            return fmt::format(
                "The block needs it for other elements. It is put away at {} by {}, and taken for {} at {} "
                "by {}: "
                "one of the two places is wrong.",
                quoted(c.s.capture, where_of(c, *e.put)),
                lane_text(*e.put),
                element,
                at,
                lane_text(e.at)
            );
        case Entrance::Kind::read: break;
    }
    return fmt::format(
        "At {} {} reads it: the index, or the bound or guard that lets it read, is wrong.",
        at,
        lane_text(e.at)
    );
}

// The one that is lacking of the same argument, and how far apart they are.
std::string lacking_text(const InputElement& foreign, const InputElement& missing) {
    std::string text = fmt::format(" It lacks {}, on which its reference depends", text_of(missing));
    if (foreign.at.size() == missing.at.size() && !foreign.at.empty()) {
        std::vector<std::string> apart;
        for (size_t d = 0; d < foreign.at.size(); ++d)
            apart.push_back(fmt::format("{:+}", foreign.at[d] - missing.at[d]));
        const bool turned = foreign.at.size() > 1 && foreign.at != missing.at &&
            std::equal(foreign.at.begin(), foreign.at.end(), missing.at.rbegin());
        text += turned ? ": its indices are exchanged"
                       : fmt::format(": {} lies at ({}) from it", text_of(foreign), join(apart, ", "));
    }
    return text + ".";
}

std::string parted_text(const InputElement& input, const Parted& p, const std::string& element, bool kernel) {
    return fmt::format(
        "with {} changed from {} to {}, {} of the kernel {}, and of the reference {}",
        text_of(input),
        number(p.was),
        number(p.now),
        element,
        kernel ? fmt::format("goes from {} to {}", number(p.got_was), number(p.got_now))
               : fmt::format("stays {}", number(p.got_was)),
        kernel ? fmt::format("stays {}", number(p.reference_was))
               : fmt::format("goes from {} to {}", number(p.reference_was), number(p.reference_now))
    );
}

std::optional<capture::Finding> foreign_finding(const Case& c, Dependence& dependence) {
    const Evidence& evidence = c.found.evidence;
    for (const Entrance& e : evidence.entrances) {
        const auto parted = alone_in_kernel(dependence, place_in(c, e.input));
        if (!parted) continue;
        const std::string element = element_text(c, c.asked.tile, c.asked.row, c.asked.col);
        capture::Finding f;
        f.rule = "foreign_input";
        f.where = where_of(c, e.at);
        place_element(c, f);
        if (e.put) f.other = where_of(c, *e.put);
        f.title = fmt::format("{} depends on {}, and its reference does not", element, text_of(e.input));
        f.explanation = entrance_text(c, e, element);
        f.explanation += deciders_text(c, e.at);
        f.proof = parted_text(e.input, *parted, element, true);
        for (const InputElement& missing : evidence.missing) {
            if (missing.argument != e.input.argument || e.kind == Entrance::Kind::kept) continue;
            if (alone_in_reference(dependence, place_in(c, missing)))
                f.explanation += lacking_text(e.input, missing);
        }
        return f;
    }
    return std::nullopt;
}

std::string absence_text(const Case& c, const Absence& a) {
    const auto at = [&](const Execution& e) { return quoted(c.s.capture, where_of(c, e)); };
    if (!a.read && a.elsewhere)
        return fmt::format(
            "It is read at {} by {}, from where nothing goes to the element: what should go is missing, or "
            "in the "
            "element's own lane an end of a loop, a guard or an index leaves it out.",
            at(*a.elsewhere),
            lane_text(*a.elsewhere)
        );
    if (!a.read && !a.beside) return fmt::format("Nothing of {} goes into the element.", a.input.argument);
    if (!a.read && a.beside->line == 0) return "Nobody reads it for the element.";
    if (!a.read)
        return fmt::format(
            "Nobody reads it for the element: the read of {} that lies nearest is at {}; an end of a loop, a "
            "guard "
            "or "
            "an index leaves it out.",
            a.input.argument,
            at(*a.beside)
        );
    const std::string read = fmt::format(
        "It is read at {} by {}, and does not come as far as the element", at(*a.read), lane_text(*a.read)
    );
    if (!a.taken) return read + ".";
    return read +
        fmt::format(
               ": the last that the element takes from shared memory or from another lane is taken at {} by "
               "{}.",
               at(*a.taken),
               lane_text(*a.taken)
        );
}

std::optional<capture::Finding> missing_finding(const Case& c, Dependence& dependence) {
    if (!c.found.evidence.foreign.empty()) return std::nullopt;
    for (const Absence& a : c.found.evidence.absences) {
        // A comparison of whole numbers may come out alike for all values that are tried.
        const InputPlace input = place_in(c, a.input);
        const bool whole = !is_float(c.chain.problem.args[input.argument].data.dtype);
        if (whole && a.read && !a.others_go_in) continue;
        const auto parted = alone_in_reference(dependence, input);
        if (!parted) continue;
        const std::string element = element_text(c, c.asked.tile, c.asked.row, c.asked.col);
        capture::Finding f;
        f.rule = "missing_input";
        const std::optional<Execution>& at = a.read ? a.taken : a.beside;
        if (at) f.where = where_of(c, *at);
        place_element(c, f);
        f.title = fmt::format("{} does not depend on {}, and its reference does", element, text_of(a.input));
        f.explanation = absence_text(c, a);
        if (at) f.explanation += deciders_text(c, *at);
        f.proof = parted_text(a.input, *parted, element, false);
        return f;
    }
    return std::nullopt;
}

Ruled ruled_of(const Symptoms& s, const Asked& asked) {
    Prepared prepared = prepare(s.experiment);
    emulator::ReplaySpec journey{
        emulator::lower(s.experiment.module, s.experiment.entry),
        prepared.launch,
        std::move(prepared.memory)};
    journey.block = asked.block;
    travel::Route route = travel::make_route(s.experiment.module, std::move(journey));
    const Chain chain{route, s.capture, s.experiment.problem};
    const Provenance found = provenance(chain, asked);
    Ruled out;
    if (!found.evidence.problem.empty() || !found.not_followed.empty()) return out;
    Case c{s, chain, asked, found};
    if (found.first_wrong >= 0) {
        const TileElement& e = found.elements[static_cast<size_t>(found.first_wrong)];
        c.asked.tile = e.tile, c.asked.row = e.row, c.asked.col = e.col;
    }
    Dependence dependence{s, chain, c.asked};
    auto f = foreign_finding(c, dependence);
    if (!f) f = missing_finding(c, dependence);
    if (!f) return out;
    out.findings.push_back(std::move(*f));
    out.explains = true;
    return out;
}

}  // namespace

Ruled inputs_rule(const Symptoms& s) {
    const bool hazard = std::any_of(s.incidents.begin(), s.incidents.end(), [](const auto& i) {
        return i.kind != execution::Incident::Kind::uniform_reduction;
    });
    const bool can = s.first_bad >= 0 && !hazard && s.budget <= kLongest && !is_cut_short(s) &&
        !tries_on_device(s.experiment) && !manifest::is_sequence(s.experiment.problem);
    const std::optional<Asked> asked = can ? first_wrong(s) : std::nullopt;
    if (!asked) return {};
    try {
        return ruled_of(s, *asked);
    } catch (const Error&) {  // an instruction or a reference that cannot be followed
        return {};
    } catch (const Unsupported&) { return {}; }
}

}  // namespace wl::diagnosis
