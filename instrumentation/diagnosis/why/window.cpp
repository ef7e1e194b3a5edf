// Rows and columns of a tile along the axes of its reference.
#include "instrumentation/diagnosis/why/window.h"

#include "instrumentation/diagnosis/why/provenance_lines.h"

namespace wl::diagnosis {
namespace {

void move_by(
    analysis::Window& w, const manifest::TileRule& rule, const TileElement& e, const capture::Tile& t
) {
    const auto n = static_cast<int>(w.at.size());
    const bool vector = t.rows == 1 || t.cols == 1;
    const int rows = rule.row_axis.value_or(vector ? (t.cols == 1 ? n - 1 : -1) : n - 2);
    const int cols = rule.col_axis.value_or(vector ? (t.cols == 1 ? -1 : n - 1) : n - 1);
    if (rows >= 0 && rows < n) w.at[static_cast<size_t>(rows)] += e.row;
    if (cols >= 0 && cols < n) w.at[static_cast<size_t>(cols)] += e.col;
}

}  // namespace

analysis::Window window_of(const Chain& chain, const TileElement& e) {
    const manifest::Problem& problem = chain.problem;
    const capture::Tile& tile = chain.capture.tiles[static_cast<size_t>(e.tile)];
    const std::string& name = chain.capture.probes[static_cast<size_t>(tile.probe)].name;
    analysis::Window w;
    w.rows = w.cols = 1;
    if (tile.block < 0) {
        const auto rule = problem.kernel.outputs.find(name);
        w.tensor = rule == problem.kernel.outputs.end() || rule->second.of.empty() ? name : rule->second.of;
        const manifest::BoundArgument* a = array_named(problem, name);
        if (a != nullptr) w.at = coordinates(a->data.shape, int64_t{e.row} * tile.cols + e.col);
        return w;
    }
    const auto rule = problem.kernel.tiles.find(name);
    if (rule == problem.kernel.tiles.end()) return w;
    w.tensor = rule->second.of;
    const Dim3 block = from_linear(static_cast<uint64_t>(tile.block), manifest::launch_of(problem).grid);
    w.at = manifest::window_origin(problem, rule->second, block, tile.warp, tile.iteration);
    TileElement in_window = e;
    if (!rule->second.row.empty()) {  // registers: rows are lanes
        const auto places = manifest::lane_places(problem, rule->second, tile.rows, tile.cols);
        const manifest::LanePlace& p = places.at(static_cast<size_t>(e.row * tile.cols + e.col));
        in_window.row = p.row, in_window.col = p.col;
    }
    move_by(w, rule->second, in_window, tile);
    return w;
}

}  // namespace wl::diagnosis
