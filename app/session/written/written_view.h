// Who wrote an output, as heatmaps: asked of a worker, measured beside the window.
#pragma once

#include "app/session/pyramid.h"
#include "app/session/selection.h"
#include "app/worker/worker.h"
#include "app/worker/written_map.h"

#include <array>
#include <cstdint>
#include <future>
#include <memory>
#include <string>

namespace wl::app {

struct Session;

enum class WrittenBy : uint8_t { block, warp, lane, stores };

// Which colour of the palette of warps stands for elements by how often they were stored to.
constexpr int kOnce = 2, kMany = 1, kStale = 5;

struct WrittenView {
    std::shared_ptr<const WrittenMap> map;  // null: there is none
    std::array<Plane, 4> planes;            // by WrittenBy: the palette's warp * 32 + lane; -1: never set
    std::array<Pyramid, 4> pyramids;
    uint64_t content = 0;  // another number with every map
};
WrittenView make_written_view(WrittenMap map, uint64_t content);

struct WrittenAnswer {
    std::unique_ptr<Worker> worker;    // while it runs
    std::string array, file;           // that it was asked about; where its map will be
    std::future<WrittenView> reading;  // once it has ended
    WrittenView view;
    std::string problem;  // why there is no map
};

// "block (2, 1, 0) warp 3 lane 7"
std::string written_text(const capture::Capture& capture, const WrittenElement& element);
// Of the shown array; null: its map is not there.
const WrittenElement* written_element(const Session& session, const Selection& selection, Element at);

void ask_written(Session& session, const std::string& array);
bool hear_written(Session& session);  // true: something changed
bool is_asking(const WrittenAnswer& written);

}  // namespace wl::app
