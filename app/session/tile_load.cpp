// std::async, and a flag between the layers.
#include "app/session/tile_load.h"

#include <chrono>

namespace wl::app {

namespace {
constexpr int64_t kAtOnce = 512 * 512;  // elements: some 10 ms
}

TileLoad::~TileLoad() {
    stop = true;
    if (view.valid()) view.wait();
}

bool is_ready(const TileLoad& load) {
    return load.view.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

TileView load_tile_view(
    const capture::Capture& capture, int tile, uint64_t content, std::unique_ptr<TileLoad>& loading
) {
    const bool known = tile >= 0 && tile < static_cast<int>(capture.tiles.size());
    const capture::Tile shape = known ? capture.tiles[static_cast<size_t>(tile)] : capture::Tile{};
    if (int64_t{shape.rows} * shape.cols <= kAtOnce) return make_tile_view(capture, tile, content);
    loading = std::make_unique<TileLoad>();
    loading->view = std::async(std::launch::async, [&capture, tile, content, stop = &loading->stop] {
        return make_tile_view(capture, tile, content, stop);
    });
    TileView empty;
    empty.tile = tile, empty.content = content, empty.measured = false;
    return empty;
}

}  // namespace wl::app
