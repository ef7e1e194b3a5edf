// Measuring a big tile while the window goes on.
#pragma once

#include "app/session/tile_view.h"

#include <atomic>
#include <future>
#include <memory>

namespace wl::app {

// On a thread of its own; ends with this object, soon. The capture must outlive it.
struct TileLoad {
    std::atomic<bool> stop = false;
    std::future<TileView> view;
    TileLoad() = default;
    TileLoad(const TileLoad&) = delete;
    TileLoad& operator=(const TileLoad&) = delete;
    ~TileLoad();
};
bool is_ready(const TileLoad& load);

// The tile at once where that takes no longer than a frame; else an empty one, and `loading`.
TileView load_tile_view(
    const capture::Capture& capture, int tile, uint64_t content, std::unique_ptr<TileLoad>& loading
);

}  // namespace wl::app
