// Inputs that were read against inputs that are needed; layouts against what lies there.
#include "instrumentation/diagnosis/why/provenance_evidence.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/diagnosis/why/entrance.h"
#include "instrumentation/diagnosis/why/provenance_lines.h"
#include "instrumentation/diagnosis/why/reference_inputs.h"
#include "instrumentation/diagnosis/why/window.h"
#include "instrumentation/travel/layout_marks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace wl::diagnosis {
namespace {

using manifest::BoundArgument;
using travel::SliceInput;

constexpr int kTried = 8;       // elements of an argument, at most
constexpr int kCandidates = 4;  // other elements of the tile, at most

// ---- inputs

Stretches elements_of(const SliceInput& in, const BoundArgument& a) {
    const auto size = static_cast<int64_t>(size_of(a.data.dtype));
    Stretches out;
    for (const auto& [first, last] : in.runs) {
        const int64_t from = static_cast<int64_t>(first) / size, to = static_cast<int64_t>(last) / size;
        if (!out.empty() && from <= out.back().second + 1)
            out.back().second = std::max(out.back().second, to);
        else
            out.emplace_back(from, to);
    }
    return out;
}

// Both together, by rising order.
Stretches joined(Stretches a, const Stretches& b) {
    a.insert(a.end(), b.begin(), b.end());
    std::sort(a.begin(), a.end());
    Stretches out;
    for (const auto& [first, last] : a) {
        if (!out.empty() && first <= out.back().second + 1)
            out.back().second = std::max(out.back().second, last);
        else
            out.emplace_back(first, last);
    }
    return out;
}

bool is_input(const BoundArgument& a) { return is_changeable(a) && !a.texture && (!a.output || a.filled); }

Stretches read_of(const std::vector<SliceInput>& inputs, const BoundArgument& a) {
    for (const SliceInput& in : inputs)
        if (in.memory == a.name) return elements_of(in, a);
    return {};
}

bool reads_unwritten(const std::vector<SliceInput>& inputs) {
    return std::any_of(inputs.begin(), inputs.end(), [](const SliceInput& in) {
        return in.memory == "shared" || in.memory == "local";
    });
}

// ---- another element's value

bool is_made_of(const Doubt& d, const TileElement& e, const std::vector<SliceInput>& inputs) {
    std::optional<ReferenceInputs> needs = reference_inputs_of(d.chain.problem, window_of(d.chain, e));
    if (!needs) return false;
    const std::vector<BoundArgument>& args = d.chain.problem.args;
    for (size_t k = 0; k < args.size(); ++k) {
        if (!is_input(args[k])) continue;
        const Stretches read = read_of(inputs, args[k]);
        if (foreign_element(*needs, k, read, kTried) || missing_element(*needs, k, read)) return false;
    }
    return needs->failure.empty();
}

// The element of the tile whose reference the value is, and whose inputs it is made of.
std::optional<TileElement> rightful_owner(const Doubt& d, const std::vector<SliceInput>& inputs) {
    const TileElement& e = d.accused.as_captured;
    const capture::Capture& c = d.chain.capture;
    const analysis::TileData t = analysis::load_tile(c, c.tiles[static_cast<size_t>(e.tile)]);
    int candidates = 0;
    for (int row = 0; row < t.rows; ++row)
        for (int col = 0; col < t.cols; ++col) {
            if (t.reference.rows == 0 || (row == e.row && col == e.col)) continue;
            const double reference = t.reference(row, col);
            if (std::isnan(reference) || analysis::is_bad(e.got, reference, t.bound(row, col))) continue;
            TileElement other = e;
            other.row = row, other.col = col;
            other.reference = reference, other.bound = double{t.bound(row, col)};
            if (is_made_of(d, other, inputs)) return other;
            if (++candidates == kCandidates) return std::nullopt;
        }
    return std::nullopt;
}

// ---- layouts

// Does the argument lie there, row after row, from some element of its own on?
bool lies_right(const travel::LaidOut& l, const BoundArgument& a) {
    if (l.dtype != a.data.dtype || a.data.shape.empty()) return false;
    const size_t size = size_of(l.dtype), row = static_cast<size_t>(l.cols) * size,
                 pitch = static_cast<size_t>(a.data.shape.back()) * size;
    if (row > pitch) return false;
    const size_t need = static_cast<size_t>(l.rows - 1) * pitch + row;
    for (size_t at = 0; at + need <= a.data.bytes.size(); at += size) {
        bool same = true;
        for (size_t k = 0; same && k < static_cast<size_t>(l.rows); ++k)
            same = std::memcmp(l.values.data() + k * row, a.data.bytes.data() + at + k * pitch, row) == 0;
        if (same) return true;
    }
    return false;
}

// ---- where inputs came in

struct Passage {
    travel::SliceStep step;
    std::vector<SliceInput> inputs;  // of what it read, or stored
};

bool moves_memory(const travel::SliceStep& s) {
    constexpr uint64_t kWindow = 0xff00'0000'0000'0000;
    const uint64_t address = s.read_bytes != 0 ? s.read_address : s.address;
    return (s.read_bytes != 0 || s.reg < 0) && (address & kWindow) != emulator::kLocalBase;
}

// The step that reads what lies nearest to the element; nullptr: none reads the argument.
const travel::SliceStep* nearest_read(
    const Doubt& d, const std::vector<Passage>& passages, const BoundArgument& a, int64_t element
) {
    const travel::SliceStep* out = nullptr;
    int64_t least = 0;
    for (const Passage& p : passages) {
        const auto from = emulator::allocation_at(*d.chain.route.traveller, p.step.read_address);
        if (p.step.read_bytes == 0 || !from || from->first != a.name) continue;
        for (const auto& [first, last] : read_of(p.inputs, a)) {
            const int64_t away = std::max({first - element, element - last, int64_t{0}});
            if (out == nullptr || away <= least) out = &p.step, least = away;
        }
    }
    return out;
}

void mark_line(const Chain& chain, uint32_t site, std::vector<ProvenanceLine>& lines) {
    const ProvenanceLine there = place_of_site(chain, site);
    for (ProvenanceLine& line : lines)
        if (line.suspect && same_line(line, there)) line.misled = true;
}

// The first passage, in kernel time, through which something like that came, unless it only fetched an
// argument that lies where its layout says.
template <class F>
void mark_entrance(
    const Doubt& d,
    const std::vector<Passage>& passages,
    const Evidence& evidence,
    std::vector<ProvenanceLine>& lines,
    const F& like_that
) {
    for (const Passage& p : passages) {
        if (p.step.read_bytes == 0 || !like_that(p.inputs)) continue;
        const auto from = emulator::allocation_at(*d.chain.route.traveller, p.step.read_address);
        const auto& right = evidence.laid_right;
        if (from && std::find(right.begin(), right.end(), from->first) != right.end()) continue;
        return mark_line(d.chain, p.step.site, lines);
    }
}

bool same_inputs(const std::vector<SliceInput>& a, const std::vector<SliceInput>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const SliceInput& x, const SliceInput& y) {
        return x.memory == y.memory && x.runs == y.runs;
    });
}

bool is_known(const Evidence& evidence, const std::string& argument) {
    return std::any_of(evidence.entrances.begin(), evidence.entrances.end(), [&](const Entrance& e) {
        return e.input.argument == argument;
    });
}

void mark_lines(
    const Doubt& d,
    ReferenceInputs& needs,
    const std::vector<SliceInput>& all,
    const std::vector<Passage>& passages,
    const Evidence& evidence,
    std::vector<ProvenanceLine>& lines
) {
    if (evidence.belongs_to) {
        for (const Passage& p : passages)
            if (same_inputs(p.inputs, all)) mark_line(d.chain, p.step.site, lines);
        return;
    }
    for (const Entrance& e : evidence.entrances) mark_line(d.chain, e.at.site, lines);
    const std::vector<BoundArgument>& args = d.chain.problem.args;
    for (size_t k = 0; k < args.size(); ++k)
        if (is_input(args[k]) && !is_known(evidence, args[k].name))
            mark_entrance(d, passages, evidence, lines, [&](const std::vector<SliceInput>& inputs) {
                return foreign_element(needs, k, read_of(inputs, args[k]), kTried).has_value();
            });
    mark_entrance(d, passages, evidence, lines, reads_unwritten);
}

// What the element is made of of one argument, against what its reference is made of.
void compare_inputs(
    const Doubt& d,
    ReferenceInputs& needs,
    size_t argument,
    const travel::Slice& whole,
    const std::vector<Passage>& passages,
    Evidence& evidence
) {
    const BoundArgument& a = d.chain.problem.args[argument];
    const Stretches read = read_of(whole.inputs, a);
    if (const auto foreign = foreign_element(needs, argument, read, kTried)) {
        evidence.foreign.push_back(input_element(d.chain, {argument, *foreign}));
        const auto entrance = entrance_of(d, needs, {argument, *foreign}, whole);
        if (entrance) evidence.entrances.push_back(*entrance);
    }
    auto missing = missing_element(needs, argument, read);
    if (!missing) return;
    // What is read and compared only is not left out: what no lane on the way reads comes first.
    if (last_exchange(d, whole) == nullptr) {
        const Stretches seen = read_on_the_way(d, argument, whole);
        if (const auto unseen = missing_element(needs, argument, joined(read, seen))) missing = unseen;
    }
    evidence.missing.push_back(input_element(d.chain, {argument, *missing}));
    evidence.absences.push_back(
        absence_of(d, {argument, *missing}, whole, nearest_read(d, passages, a, *missing))
    );
}

}  // namespace

Evidence evidence_of(const Doubt& d, std::vector<ProvenanceLine>& lines) {
    Evidence evidence;
    if (manifest::is_sequence(d.chain.problem)) {
        evidence.problem =
            "what a launch of several reads is what others made, and not the reference's inputs";
        return evidence;
    }
    std::optional<ReferenceInputs> needs =
        reference_inputs_of(d.chain.problem, window_of(d.chain, d.accused.as_captured));
    if (!needs) {
        evidence.problem =
            "the reference is no function that could be asked again with other inputs, so that it is not "
            "known "
            "what its elements are made of";
        return evidence;
    }
    travel::SliceOptions options;
    options.from = d.accused.element;
    options.passings = kPassings;
    const travel::Slice whole = travel::slice(d.chain.route, d.taken, options);
    options.passings = 0;
    for (const travel::SliceStep& s : whole.steps)
        if (moves_memory(s)) options.through.push_back(s.site);
    const travel::Slice again = travel::slice(d.chain.route, d.taken, options);
    std::vector<Passage> passages;
    for (const travel::SliceStep& s : whole.steps)
        if (moves_memory(s)) passages.push_back({s, again.through[passages.size()]});

    const std::vector<BoundArgument>& args = d.chain.problem.args;
    for (size_t k = 0; k < args.size(); ++k)
        if (is_input(args[k])) compare_inputs(d, *needs, k, whole, passages, evidence);
    if (!evidence.foreign.empty()) evidence.belongs_to = rightful_owner(d, whole.inputs);
    const uint64_t before = whole.steps.empty() ? 0 : whole.steps.back().last;
    for (const travel::LaidOut& l : travel::laid_out(d.chain.route, before)) {
        const BoundArgument* a = array_named(d.chain.problem, l.name);
        if (a != nullptr && lies_right(l, *a)) evidence.laid_right.push_back(l.name);
    }
    mark_lines(d, *needs, whole.inputs, passages, evidence, lines);
    if (!needs->failure.empty()) {
        evidence = {};
        evidence.problem = needs->failure;
        for (ProvenanceLine& line : lines) line.misled = false;
    }
    return evidence;
}

}  // namespace wl::diagnosis
