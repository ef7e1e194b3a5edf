// Slices of a block joined with the verdicts of a capture.
#include "instrumentation/diagnosis/why/provenance.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/why/provenance_evidence.h"
#include "instrumentation/diagnosis/why/provenance_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

namespace wl::diagnosis {
namespace {

using capture::Tile;
using travel::Element;
using travel::Taken;

// ---- elements

struct Reader {
    const capture::Capture& c;
    std::map<int, analysis::TileData> loaded{};

    TileElement element(int tile, int row, int col) {
        TileElement e{
            tile, row, col, 0, std::numeric_limits<double>::quiet_NaN(), 0, TileElement::State::unknown, 0};
        const auto [at, fresh] = loaded.try_emplace(tile);
        if (fresh) at->second = analysis::load_tile(c, c.tiles[static_cast<size_t>(tile)]);
        const analysis::TileData& t = at->second;
        if (row >= t.rows || col >= t.cols) return e;
        e.got = t.got(row, col);
        if (t.reference.rows == 0 || t.bound.rows == 0) return e;
        e.reference = t.reference(row, col);
        e.bound = double{t.bound(row, col)};
        if (!std::isnan(e.reference))
            e.state = analysis::is_bad(e.got, e.reference, t.bound(row, col)) ? TileElement::State::wrong
                                                                              : TileElement::State::right;
        return e;
    }
};

// The capture's tile that a mark of the block gave; -1: it was not kept.
std::vector<int> tiles_of(const capture::Capture& c, const std::vector<Taken>& taken, int64_t block) {
    std::map<std::tuple<std::string, int, int>, int> known;
    for (size_t k = 0; k < c.tiles.size(); ++k) {
        const Tile& t = c.tiles[k];
        if (t.block == block && t.values != capture::kNoBlob)
            known[{c.probes[static_cast<size_t>(t.probe)].name, t.iteration, t.warp}] = static_cast<int>(k);
    }
    std::vector<int> out;
    for (const Taken& t : taken) {
        const auto found = known.find({t.name, t.tile.iteration, t.tile.warp});
        out.push_back(found == known.end() ? -1 : found->second);
    }
    return out;
}

// ---- inputs

ProvenanceInput input_of(const travel::SliceInput& in, const manifest::Problem& problem) {
    ProvenanceInput out;
    out.memory = in.memory;
    out.first_byte = in.first, out.last_byte = in.last, out.bytes = in.bytes;
    out.uninitialised = in.memory == "shared" || in.memory == "local";
    for (const manifest::BoundArgument& a : problem.args) {
        if (!a.array || a.name != in.memory) continue;
        const uint64_t size = size_of(a.data.dtype);
        out.elements = (in.bytes + size - 1) / size;
        out.first = coordinates(a.data.shape, static_cast<int64_t>(in.first / size));
        out.last = coordinates(a.data.shape, static_cast<int64_t>(in.last / size));
        out.uninitialised = a.output && !a.filled;
    }
    return out;
}

// What lies between a wrong element and the right ones before it. Such a line is shown as it was executed
// there, not as it was later.
void mark_suspects(
    const Chain& chain,
    const std::vector<Taken>& taken,
    const travel::SliceOptions& options,
    std::vector<ProvenanceLine>& lines
) {
    for (ProvenanceLine& there : lines_of(chain, travel::slice(chain.route, taken, options)))
        for (ProvenanceLine& line : lines) {
            if (!same_line(line, there)) continue;
            there.times = line.times, there.instructions = line.instructions;
            line = there;
            line.suspect = true;
        }
}

// The asked element as the slice names it.
Element element_of(const Chain& chain, const Asked& asked, const std::vector<int>& captured) {
    const Tile& tile = chain.capture.tiles[static_cast<size_t>(asked.tile)];
    const capture::Probe& probe = chain.capture.probes[static_cast<size_t>(tile.probe)];
    Element e;
    e.row = asked.row, e.col = asked.col;
    if (tile.block >= 0) {
        const auto found = std::find(captured.begin(), captured.end(), asked.tile);
        if (found == captured.end()) throw Error("the block did not take the tile " + probe.name + " again");
        e.tile = static_cast<int>(found - captured.begin());
        return e;
    }
    const auto argument = emulator::allocation_named(*chain.route.traveller, probe.name);
    if (!argument) throw Error("the kernel has no argument " + probe.name);
    e.bytes = static_cast<uint32_t>(size_of(probe.dtype));
    const auto index = static_cast<uint64_t>(asked.row) * static_cast<uint64_t>(tile.cols) +
        static_cast<uint64_t>(asked.col);
    e.address = argument->first + index * e.bytes;
    return e;
}

}  // namespace

Provenance provenance(const Chain& chain, const Asked& asked) {
    travel::Route& route = chain.route;
    Reader reader{chain.capture};
    Provenance out;
    out.asked = reader.element(asked.tile, asked.row, asked.col);
    const std::vector<Taken> taken = travel::take_tiles(route);
    const std::vector<int> captured = tiles_of(chain.capture, taken, asked.block);

    travel::SliceOptions options;
    options.from = element_of(chain, asked, captured);
    options.deciders = true, options.deep = chain.deep;
    const travel::Slice all = travel::slice(route, taken, options);
    std::optional<Element> first_wrong;
    for (const Element& e : all.elements) {
        const int k = captured[static_cast<size_t>(e.tile)];
        if (k < 0 || (k == asked.tile && e.row == asked.row && e.col == asked.col)) continue;
        TileElement element = reader.element(k, e.row, e.col);
        element.order = taken[static_cast<size_t>(e.tile)].order;
        if (!first_wrong && element.state == TileElement::State::wrong) {
            first_wrong = e;
            out.first_wrong = static_cast<int>(out.elements.size());
        }
        out.elements.push_back(element);
    }
    out.lines = lines_of(chain, all);
    for (const travel::SliceInput& in : all.inputs) out.inputs.push_back(input_of(in, chain.problem));
    out.not_followed = all.not_followed;

    const auto is_right = [&](const Element& e) {
        const int k = captured[static_cast<size_t>(e.tile)];
        return k >= 0 && reader.element(k, e.row, e.col).state == TileElement::State::right;
    };
    if (first_wrong) options.from = *first_wrong;
    options.ends_at = is_right;
    if (first_wrong || out.asked.state == TileElement::State::wrong) {
        mark_suspects(chain, taken, options, out.lines);
        const TileElement& wrong =
            first_wrong ? out.elements[static_cast<size_t>(out.first_wrong)] : out.asked;
        const Accused accused{options.from, wrong, asked.block};
        out.evidence = evidence_of({chain, taken, accused}, out.lines);
    }
    std::sort(out.lines.begin(), out.lines.end(), [](const ProvenanceLine& a, const ProvenanceLine& b) {
        return a.order < b.order;
    });
    return out;
}

}  // namespace wl::diagnosis
