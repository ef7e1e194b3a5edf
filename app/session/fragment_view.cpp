// Pure look-ups: the report, the capture's findings and its references, side by side.
#include "app/session/fragment_view.h"

#include "app/session/lookup.h"
#include "instrumentation/analysis/diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace wl::app {

namespace {

using fragments::LaidPlace;
using fragments::Live;
using fragments::Operand;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

std::vector<FragmentCell> cells_of(const fragments::Map& map) {
    const FragmentLayout& l = map.layout;
    std::vector<FragmentCell> cells(
        static_cast<size_t>(l.matrices * l.rows) * static_cast<size_t>(l.columns)
    );
    for (int lane = 0; lane < map.lanes; ++lane)
        for (int element = 0; element < l.elements; ++element) {
            const FragmentPlace& p = l.at(lane, element);
            if (p.row < 0) continue;
            FragmentCell& cell =
                cells[static_cast<size_t>((p.matrix * l.rows + p.row) * l.columns + p.column)];
            if (cell.lane < 0) cell = {lane, element};
        }
    return cells;
}

void take(FragmentOperandView& view, fragments::Reading reading, std::string of) {
    view.should = std::move(reading.values);
    view.wrong = std::move(reading.wrong);
    view.should_places = std::move(reading.places);
    view.should_of = std::move(of);
}

bool is_at(const capture::Where& where, const std::string& place) {
    return file_name(where.file) + ":" + std::to_string(where.line) == place;
}

// A finding that says of this load that it takes its operand the wrong way round.
int finding_of_transposition(const capture::Capture& c, const Operand& o) {
    for (size_t i = 0; i < c.findings.size(); ++i)
        if (c.findings[i].rule == "transposed_operand" && is_at(c.findings[i].where, o.place))
            return static_cast<int>(i);
    return -1;
}

// The nearest time that the block took a tile of this name: behind a store, before a load.
const capture::Tile* tile_near(
    const capture::Capture& c, const Live& live, const std::string& name, bool behind, int warp
) {
    const capture::Tile* best = nullptr;
    for (const capture::Tile& t : c.tiles) {
        if (t.block != live.block || t.values == capture::kNoBlob) continue;
        if (c.probes[static_cast<size_t>(t.probe)].name != name || (warp >= 0 && t.warp != warp)) continue;
        if (behind ? t.time < live.time : t.time > live.time) continue;
        if (best == nullptr || (behind ? t.time < best->time : t.time > best->time)) best = &t;
    }
    return best;
}

void judge(
    FragmentOperandView& view, const analysis::TileData& data, size_t k, int row, int column, double held
) {
    if (row < 0 || column < 0 || row >= data.reference.rows || column >= data.reference.cols) return;
    const double reference = data.reference(row, column);
    if (std::isnan(reference)) return;
    view.should[k] = reference;
    view.wrong[k] = analysis::is_bad(held, reference, data.bound(row, column)) ? 1 : 0;
}

// By the manifest's reference of a tile: of memory by the element's place in it, of registers by lane.
void take_reference(
    FragmentOperandView& view, const capture::Capture& c, const Live& live, const Operand& o
) {
    const bool marked = !live.mark.empty();
    if (!marked && o.laid < 0) return;
    const std::string& name = marked ? live.mark : live.laid[static_cast<size_t>(o.laid)].name;
    const capture::Tile* tile = tile_near(c, live, name, marked || o.stored, marked ? live.warp : -1);
    if (tile == nullptr) return;
    const analysis::TileData data = analysis::load_tile(c, *tile);
    if (data.reference.data.empty()) return;
    view.should.assign(o.values.size(), kUnknown);
    view.wrong.assign(o.values.size(), 0);
    for (int lane = 0; lane < o.map.lanes; ++lane)
        for (int element = 0; element < o.map.layout.elements; ++element) {
            const size_t k = fragment_index(o.map, lane, element);
            if (marked) {
                judge(view, data, k, lane, fragments::holder_of(o.map, lane, element).reg, o.values[k]);
                continue;
            }
            const LaidPlace& p = view.footprint.places[k];
            const bool column = live.laid[static_cast<size_t>(o.laid)].column;
            judge(view, data, k, column ? p.at : p.line, column ? p.line : p.at, o.values[k]);
        }
    view.should_of = "the reference of " + name;
}

void find_should(FragmentOperandView& view, const capture::Capture& c, const Live& live, const Operand& o) {
    const bool loaded = o.laid >= 0 && !o.stored;
    const std::string name = o.laid >= 0 ? live.laid[static_cast<size_t>(o.laid)].name : "";
    if (auto reading = loaded ? fragments::by_its_own_ld(live, o) : std::nullopt) {
        const int ld = live.laid[static_cast<size_t>(o.laid)].ld;
        take(view, std::move(*reading), name + " by its own leading dimension, " + std::to_string(ld));
        return;
    }
    const int finding = loaded ? finding_of_transposition(c, o) : -1;
    if (auto reading = finding >= 0 ? fragments::transposed(live, o) : std::nullopt) {
        take(
            view,
            std::move(*reading),
            name + " transposed, as finding " + std::to_string(finding + 1) + " says"
        );
        return;
    }
    take_reference(view, c, live, o);
}

// Along the rows' index (down) or the columns' (across) from element (0, 0).
std::vector<LaidPlace> path(
    const fragments::Map& map,
    const std::vector<FragmentCell>& cells,
    const std::vector<LaidPlace>& places,
    bool down
) {
    std::vector<LaidPlace> all;
    const FragmentLayout& l = map.layout;
    for (int i = 0; i < (down ? l.rows : l.columns) && !places.empty(); ++i) {
        const FragmentCell& cell = cells[static_cast<size_t>(down ? i * l.columns : i)];
        if (cell.lane >= 0) all.push_back(places[fragment_index(map, cell.lane, cell.element)]);
    }
    return all;
}

void set_footprint(FragmentOperandView& view, const Live& live, const Operand& o) {
    if (o.laid < 0) return;
    view.footprint.laid = o.laid;
    for (const uint64_t address : o.addresses) {
        const auto place = address == 0
            ? std::nullopt
            : fragments::place_in(live.laid[static_cast<size_t>(o.laid)], address);
        view.footprint.places.push_back(place.value_or(LaidPlace{-1, -1}));
    }
}

void set_paths(FragmentOperandView& view, const Operand& o) {
    Footprint& f = view.footprint;
    if (f.laid < 0) return;
    f.down = path(o.map, view.cells, f.places, true);
    f.across = path(o.map, view.cells, f.places, false);
    f.should_down = path(o.map, view.cells, view.should_places, true);
    f.should_across = path(o.map, view.cells, view.should_places, false);
}

void measure(FragmentOperandView& view, const Operand& o) {
    view.low = std::numeric_limits<double>::infinity(), view.high = -view.low;
    for (const std::vector<double>* values : {&o.values, &std::as_const(view.should)})
        for (const double value : *values) {
            if (!std::isfinite(value)) continue;
            view.low = std::min(view.low, value), view.high = std::max(view.high, value);
        }
    for (const FragmentCell& cell : view.cells) {
        if (cell.lane < 0 || view.wrong.empty()) continue;
        view.wrong_count += view.wrong[fragment_index(o.map, cell.lane, cell.element)];
    }
}

}  // namespace

FragmentView make_fragment_view(const Live& live, const capture::Capture& capture, uint64_t content) {
    FragmentView view;
    view.content = content;
    for (size_t i = 0; i < live.operands.size(); ++i) {
        const Operand& o = live.operands[i];
        FragmentOperandView each;
        each.operand = static_cast<int>(i);
        each.cells = cells_of(o.map);
        set_footprint(each, live, o);
        find_should(each, capture, live, o);
        set_paths(each, o);
        measure(each, o);
        if (o.name == (live.focus.empty() ? "d" : live.focus)) view.first = static_cast<int>(i);
        view.operands.push_back(std::move(each));
    }
    return view;
}

}  // namespace wl::app
