// A run as one HTML page: findings with their source lines, tiles as pictures, what was run. Nothing is
// fetched: style and pictures lie inside, and there is no script.
#pragma once

#include "instrumentation/capture/capture.h"

#include <string>
#include <string_view>

namespace wl::app {

// `patch`: a change of the source that mends; empty: none is known.
std::string page_text(const capture::Capture& capture, const std::string& patch);

// Throws Error when the file cannot be written.
void write_page(const capture::Capture& capture, const std::string& patch, const std::string& path);

// The parts of it, each with its heading; empty where there is nothing to tell.
std::string findings_part(const capture::Capture& capture);
std::string tiles_part(const capture::Capture& capture);

std::string escape_html(std::string_view text);  // for text and for attributes in double quotes
std::string base64(std::string_view bytes);

}  // namespace wl::app
