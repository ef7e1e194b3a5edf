// Look-ups in what is loaded that several panels need.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

const capture::Tile* tile_of(const Session& session, const Selection& selection);
const capture::Probe* probe_of(const Session& session, const Selection& selection);
int warps_of_block(const capture::Launch& launch);
int record_index(const Session& session, int64_t block);  // -1: that block was not recorded

std::string block_text(const capture::Capture& capture, int64_t block);  // "block (2, 1, 0)", "whole launch"
std::string block_text(int64_t block, Dim3 grid);
std::string launch_text(const capture::Capture& capture, int number);  // "launch 2 of 3 (finish)"
// The site, or the call of the author's through which it was inlined out of a toolkit's header.
int user_site(const capture::Capture& capture, int site);
std::string place_text(const capture::Capture& capture, int site);  // of that: "v2c_3.cu:118"; empty: unknown
std::string file_name(const std::string& path);

// One element of the same mark in every iteration of that block, in order.
struct HistoryPoint {
    int iteration = 0, tile = -1;
    double got = 0, reference = 0;  // NaN: not kept, or not read yet
    capture::Verdict verdict = capture::Verdict::not_compared;
};
std::vector<HistoryPoint> element_history(const capture::Capture& capture, int tile, Element element);

}  // namespace wl::app
