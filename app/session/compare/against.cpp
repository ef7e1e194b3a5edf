// A pair of tiles is a tile whose reference is the other one: whatever shows an error shows a difference.
#include "app/session/compare/against.h"

#include "app/session/compare/search.h"
#include "app/session/edit/place.h"
#include "app/session/lookup.h"
#include "instrumentation/base/error.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <span>
#include <vector>

namespace wl::app {

namespace {

// What a pair needs beyond A's own elements.
struct PairHeld {
    std::vector<std::byte> raw, owners;  // of A, cropped
    std::vector<double> references;      // B's elements
    std::vector<float> bounds;
};

std::span<const std::byte> cropped(
    std::span<const std::byte> from, size_t element, std::array<int, 3> shape, std::vector<std::byte>& held
) {
    const auto [rows, cols, whole] = shape;
    const size_t line = static_cast<size_t>(cols) * element, step = static_cast<size_t>(whole) * element;
    if (from.empty()) return from;
    if (cols == whole) return from.subspan(0, static_cast<size_t>(rows) * line);
    for (int row = 0; row < rows; ++row) {
        const auto part = from.subspan(static_cast<size_t>(row) * step, line);
        held.insert(held.end(), part.begin(), part.end());
    }
    return held;
}

// A with B in the place of its reference, in the rows and columns that both have.
TileSource pair_of(const TileSource& a, const TileSource& b, PairHeld& held) {
    TileSource pair = a;
    pair.paired = true;
    pair.rows = std::min(a.rows, b.rows), pair.cols = std::min(a.cols, b.cols);
    if (pair.rows == 0 || pair.cols == 0) return {};
    const std::array<int, 3> shape = {pair.rows, pair.cols, a.cols};
    pair.raw = cropped(a.raw, size_of(a.dtype), shape, held.raw);
    pair.owners = cropped(a.owners, sizeof(capture::Owner), shape, held.owners);
    for (int row = 0; row < pair.rows; ++row)
        for (int col = 0; col < pair.cols; ++col) {
            held.references.push_back(b.got(row, col));
            held.bounds.push_back(bound_of_pair(a, b, row, col));
        }
    pair.references = std::as_bytes(std::span(held.references));
    pair.bounds = std::as_bytes(std::span(held.bounds));
    return pair;
}

struct Pair {
    const capture::Capture* a = nullptr;
    std::shared_ptr<const capture::Capture> other;  // null: both are of A
    int tile_a = -1, tile_b = -1;
};

TileSource source_at(const capture::Capture& c, int tile) {
    return tile < 0 ? TileSource{} : source_of(c, c.tiles[static_cast<size_t>(tile)]);
}

TileView make_pair_view(const Pair& pair, uint64_t content, Effort* effort) {
    const auto held = std::make_shared<PairHeld>();
    const capture::Capture& b = pair.other ? *pair.other : *pair.a;
    const TileSource source = pair_of(source_at(*pair.a, pair.tile_a), source_at(b, pair.tile_b), *held);
    TileView view = view_of(source, pair.tile_a, content, effort);
    view.held = held;
    view.names = {"A", "B"};
    return view;
}

const capture::Capture* b_of(const Against& against, const capture::Capture* a) {
    return against.iterations > 0 || !against.other ? a : against.other.get();
}

std::string tile_words(const capture::Capture& c, int tile) {
    const capture::Tile& t = c.tiles[static_cast<size_t>(tile)];
    const std::string& name = c.probes[static_cast<size_t>(t.probe)].name;
    if (t.block < 0) return "output " + name;
    return fmt::format("{}, iteration {}, {}", name, t.iteration, block_text(c, t.block));
}

}  // namespace

bool has_other(const Against& against) { return against.other || against.iterations > 0; }

bool is_counting(const Against& against) { return against.counting.valid(); }

void start_counting(Against& against, const capture::Capture& a) {
    against.counted = {};
    if (!against.other) return;
    against.counting = std::async(std::launch::async, [&a, b = against.other] {
        try {
            return Counted{analysis::compare_captures(a, *b), ""};
        } catch (const Error& error) { return Counted{std::nullopt, error.what()}; }
    });
}

bool hear_counting(Against& against) {
    if (!is_counting(against) ||
        against.counting.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
        return false;
    against.counted = against.counting.get();
    return true;
}

int tile_of_b(const Against& against, const capture::Capture& a, int tile) {
    if (!has_other(against)) return -1;
    return same_tile(*b_of(against, &a), a, tile, against.iterations);
}

TileView load_pair_view(
    const Against& against,
    const capture::Capture& a,
    int tile,
    uint64_t& contents,
    std::unique_ptr<TileLoad>& loading
) {
    const Pair pair{&a, against.iterations > 0 ? nullptr : against.other, tile, tile_of_b(against, a, tile)};
    const capture::Tile shape = tile < 0 ? capture::Tile{} : a.tiles[static_cast<size_t>(tile)];
    return make_or_load(
        shape.values == capture::kNoBlob ? 0 : int64_t{shape.rows} * shape.cols,
        tile,
        contents,
        loading,
        [pair](uint64_t content, Effort* effort) { return make_pair_view(pair, content, effort); }
    );
}

std::string first_words(const analysis::CaptureComparison& comparison, const capture::Capture& a) {
    if (!comparison.first) return "agrees with B within rounding wherever both were compared";
    const analysis::TilePair& pair = comparison.first->pair;
    return fmt::format(
        "differs from B at {}: {} of {} elements, by up to {:.3g}",
        tile_words(a, pair.a),
        pair.different,
        pair.elements,
        pair.max_difference
    );
}

}  // namespace wl::app
