// std::async, and a flag that every few rows are asked.
#include "app/session/tile_load.h"

#include "instrumentation/capture/stored.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>
#include <utility>

namespace wl::app {

namespace {

constexpr int64_t kAtOnce = 512 * 512;  // elements: some 10 ms

TileView nothing_yet(int tile, uint64_t content) {
    TileView empty;
    empty.tile = tile, empty.content = content, empty.measured = false;
    return empty;
}

}  // namespace

TileLoad::~TileLoad() {
    effort.stop = true;
    if (view.valid() && !reading) view.wait();
}

bool is_had_at_once(const capture::BlobStore& blobs, const capture::Tile& tile, capture::BlobId id) {
    return int64_t{tile.rows} * tile.cols <= kAtOnce || capture::is_at_hand(blobs, id);
}

bool is_ready(const TileLoad& load) {
    return load.view.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

double progress_of(const TileLoad& load) {
    return std::min(1.0, static_cast<double>(load.effort.elements) / static_cast<double>(load.of));
}

TileView make_or_load(
    int64_t elements,
    int tile,
    uint64_t& contents,
    std::unique_ptr<TileLoad>& loading,
    const std::function<TileView(uint64_t content, Effort* effort)>& make
) {
    if (elements <= kAtOnce) return make(++contents, nullptr);
    loading = std::make_unique<TileLoad>();
    loading->of = elements * (3 + kMetrics);
    loading->view = std::async(std::launch::async, [make, content = ++contents, effort = &loading->effort] {
        return make(content, effort);
    });
    return nothing_yet(tile, ++contents);
}

namespace {

bool is_at_hand(const capture::BlobStore& blobs, const capture::Tile& tile) {
    return capture::is_at_hand(blobs, tile.values) && capture::is_at_hand(blobs, tile.reference) &&
        capture::is_at_hand(blobs, tile.bound) && capture::is_at_hand(blobs, tile.owner);
}

// On a thread that nobody waits for: a big tile that is left again is read to its end all the same.
void read_later(
    const std::shared_ptr<capture::StoredBlobs>& stored,
    std::vector<capture::BlobId> ids,
    std::unique_ptr<TileLoad>& loading
) {
    std::promise<TileView> promise;
    loading = std::make_unique<TileLoad>();
    loading->reading = true;
    loading->view = promise.get_future();
    std::thread([stored, ids = std::move(ids), read = std::move(promise)]() mutable {
        try {
            for (const capture::BlobId id : ids)
                if (stored->has(id)) stored->content(id);
            read.set_value({});
        } catch (...) { read.set_exception(std::current_exception()); }
    }).detach();
}

}  // namespace

TileView load_tile_view(
    const capture::Capture& capture, int tile, uint64_t& contents, std::unique_ptr<TileLoad>& loading
) {
    const bool known = tile >= 0 && tile < static_cast<int>(capture.tiles.size());
    const capture::Tile shape = known ? capture.tiles[static_cast<size_t>(tile)] : capture::Tile{};
    if (int64_t{shape.rows} * shape.cols <= kAtOnce) return make_tile_view(capture, tile, ++contents);
    // A picture of the values comes first: they are a seventh, or less, of what is kept of a tile.
    if (!capture::is_at_hand(capture.blobs, shape.values)) {
        read_later(capture.blobs.stored, {shape.values}, loading);
        return nothing_yet(tile, ++contents);
    }
    if (!is_at_hand(capture.blobs, shape)) {
        read_later(capture.blobs.stored, {shape.reference, shape.bound, shape.owner}, loading);
        return preview_of_values(capture, tile, ++contents);
    }
    TileView preview = preview_of(capture, tile, ++contents);
    if (!has_values(preview)) return preview;
    loading = std::make_unique<TileLoad>();
    loading->of = effort_of(preview.data);
    loading->view =
        std::async(std::launch::async, [&capture, tile, content = ++contents, effort = &loading->effort] {
            return make_tile_view(capture, tile, content, effort);
        });
    return preview;
}

}  // namespace wl::app
