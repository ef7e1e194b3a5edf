// Who wrote an output, as heatmaps: asked of a worker, measured beside the window.
#pragma once

#include "app/session/state.h"
#include "app/session/written/answer.h"

#include <cstdint>
#include <string>

namespace wl::app {

// Which colour of the palette of warps stands for elements by how often they were stored to.
constexpr int kOnce = 2, kMany = 1, kStale = 5;

WrittenView make_written_view(WrittenMap map, uint64_t content);

// "block (2, 1, 0) warp 3 lane 7"
std::string written_text(const capture::Capture& capture, const WrittenElement& element);
// Of the shown array; null: its map is not there.
const WrittenElement* written_element(const Session& session, const Selection& selection, Element at);

void ask_written(Session& session, const std::string& array);
bool hear_written(Session& session);  // true: something changed
bool is_asking(const WrittenAnswer& written);

}  // namespace wl::app
