// Tiles of the same bytes are passed at once; of the others every element is compared.
#include "app/session/compare/search.h"

#include "app/session/edit/place.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace wl::app {

namespace {

bool are_same_bytes(const TileSource& a, const TileSource& b) {
    return a.dtype == b.dtype && a.cols == b.cols && a.raw.size() == b.raw.size() &&
        std::memcmp(a.raw.data(), b.raw.data(), a.raw.size()) == 0;
}

bool differ(const TileSource& a, const TileSource& b, DifferenceEffort& effort) {
    if (a.raw.empty() || b.raw.empty() || are_same_bytes(a, b)) return false;
    const int cols = std::min(a.cols, b.cols);
    for (int row = 0; row < std::min(a.rows, b.rows) && !effort.stop; ++row, effort.elements += cols)
        for (int col = 0; col < cols; ++col) {
            const double got = a.got(row, col), other = b.got(row, col);
            if (std::isnan(got) != std::isnan(other) ||
                analysis::is_bad(got, other, bound_of_pair(a, b, row, col)))
                return true;
        }
    return false;
}

bool is_looked_at(const DifferenceQuery& query, const capture::Tile& tile) {
    return tile.values != capture::kNoBlob && (query.probe < 0 || tile.probe == query.probe) &&
        std::ranges::find(query.agreeing, tile.probe) == query.agreeing.end();
}

int64_t elements_of(const capture::Tile& tile) { return int64_t{tile.rows} * tile.cols; }

float known_bound(const TileSource& source, int row, int col) {
    const float bound = source.bounds.empty() ? 0 : source.bound(row, col);
    return std::isnan(bound) ? 0 : bound;
}

}  // namespace

float bound_of_pair(const TileSource& a, const TileSource& b, int row, int col) {
    return known_bound(a, row, col) + known_bound(b, row, col);
}

int next_different(const DifferenceQuery& query, DifferenceEffort& effort) {
    const capture::Capture& a = *query.a;
    const capture::Capture& b = query.b ? *query.b : a;
    const int count = static_cast<int>(a.tiles.size());
    int64_t before = 0;
    for (int distance = 1; distance <= count && !effort.stop; ++distance) {
        const int next = (std::max(query.tile, -1) + distance) % count;
        const capture::Tile& tile = a.tiles[static_cast<size_t>(next)];
        if (!is_looked_at(query, tile)) continue;
        const int other = same_tile(b, a, next, query.iterations);
        if (other >= 0 &&
            differ(source_of(a, tile), source_of(b, b.tiles[static_cast<size_t>(other)]), effort))
            return next;
        before += elements_of(tile);
        effort.elements = before;
    }
    return -1;
}

DifferenceSearch::~DifferenceSearch() {
    effort.stop = true;
    if (found.valid()) found.wait();
}

std::unique_ptr<DifferenceSearch> start_search(DifferenceQuery query) {
    auto search = std::make_unique<DifferenceSearch>();
    int64_t elements = 0;
    for (const capture::Tile& tile : query.a->tiles)
        if (is_looked_at(query, tile)) elements += elements_of(tile);
    search->from = query.tile;
    search->of = std::max<int64_t>(elements, 1);
    search->found = std::async(std::launch::async, [query = std::move(query), effort = &search->effort] {
        return next_different(query, *effort);
    });
    return search;
}

}  // namespace wl::app
