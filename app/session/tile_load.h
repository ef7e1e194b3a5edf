// Measuring a big tile while the window goes on.
#pragma once

#include "app/session/tile_view.h"

#include <functional>
#include <future>
#include <memory>

namespace wl::app {

// On threads of its own; ends with this object, soon. The capture must outlive it.
struct TileLoad {
    Effort effort;
    int64_t of = 1;        // elements that the effort will come to
    bool reading = false;  // the elements come from the file: what is loaded is no view yet
    std::future<TileView> view;
    TileLoad() = default;
    TileLoad(const TileLoad&) = delete;
    TileLoad& operator=(const TileLoad&) = delete;
    ~TileLoad();
};
// Is this content of a tile had within a frame: it has been read, or it is small?
bool is_had_at_once(const capture::BlobStore& blobs, const capture::Tile& tile, capture::BlobId id);

bool is_ready(const TileLoad& load);
double progress_of(const TileLoad& load);  // 0 to 1

// What `make` makes of so many elements: at once where that takes no longer than a frame; else an empty view,
// and `loading`.
TileView make_or_load(
    int64_t elements,
    int tile,
    uint64_t& contents,
    std::unique_ptr<TileLoad>& loading,
    const std::function<TileView(uint64_t content, Effort* effort)>& make
);

// The tile at once where that takes no longer than a frame; else a preview, and `loading`. Both get contents
// of their own, from `contents` on.
TileView load_tile_view(
    const capture::Capture& capture, int tile, uint64_t& contents, std::unique_ptr<TileLoad>& loading
);

}  // namespace wl::app
