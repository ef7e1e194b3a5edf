// Who wrote an output, as heatmaps, and the question that is under way.
#pragma once

#include "app/session/plane.h"
#include "app/session/pyramid.h"
#include "app/worker/worker.h"
#include "app/worker/written_map.h"

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <string>

namespace wl::app {

enum class WrittenBy : uint8_t { block, warp, lane, stores };

struct WrittenView {
    std::shared_ptr<const WrittenMap> map;  // null: there is none
    std::array<Plane, 4> planes;            // by WrittenBy: the palette's warp * 32 + lane; -1: never set
    std::array<Pyramid, 4> pyramids;
    uint64_t content = 0;  // another number with every map
};

struct WrittenAnswer {
    std::unique_ptr<Worker> worker;    // while it runs
    std::string array, file;           // that it was asked about; where its map will be
    std::future<WrittenView> reading;  // once it has ended
    WrittenView view;
    std::string problem;  // why there is no map
};

}  // namespace wl::app
