// A run as one HTML page: findings with their source lines, tiles as pictures, what was run. Nothing is
// fetched: style and pictures lie inside, and there is no script.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>
#include <string_view>

namespace wl::app {

// What is known besides; empty: nothing.
struct PageExtras {
    std::string patch;  // a change of the source that mends
    std::string chain;  // where the first wrong element comes from, as `warplens why` tells it
};
std::string page_text(const capture::Capture& capture, const PageExtras& extras);

// Throws Error when the file cannot be written.
void write_page(const capture::Capture& capture, const PageExtras& extras, const std::string& path);

// The parts of it, each with its heading; empty where there is nothing to tell.
std::string findings_part(const capture::Capture& capture);
std::string tiles_part(const capture::Capture& capture);

std::string base64(std::string_view bytes);

}  // namespace wl::app
