// Text for people: verdict, findings, outputs, tiles. Colours only on a terminal.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::app {

struct Style {
    bool color = false;
};
Style style_of(const OutputOptions& options);  // a terminal, no --no-color, no NO_COLOR

enum class Color { bad, good, warn, dim, bold };
std::string paint(const Style& style, Color color, const std::string& text);

std::string params_text(const capture::Launch& launch);                     // "B=1 H=8"
std::string size_text(const capture::Launch& launch);                       // grid, block and shared memory
std::string headline(const capture::Capture& capture, const Style& style);  // what was run, where, on what
std::string findings_text(
    const capture::Capture& capture, const Style& style, bool verbose = false
);  // numbered, wrapped, with proof and consequences; verbose: with the evidence's numbers
// A line an output; notable: only of those that a tolerance, a probable or an estimated limit decided.
std::string outputs_text(const capture::Capture& capture, const Style& style, bool notable = false);
std::string tiles_text(const capture::Capture& capture, const Style& style);  // one line a probe
// What of a summary is wanted besides the verdict; a run that is ok says no more than that unless it is
// verbose.
struct Wanted {
    bool tiles = false, verbose = false;
};
// All of it: what ran, findings, outputs, tiles, and what the verdict covers.
std::string summary_text(const capture::Capture& capture, const Style& style, Wanted wanted);
// Lines of at most 100 columns behind an indent.
std::string wrap(const std::string& text, size_t indent);
std::string where_text(const capture::Capture& capture, const capture::Where& where);  // "k.cu:12, warp 3"
// What the verdict covers, and the notes.
std::string covered_text(const capture::Capture& capture, const Style& style, bool verbose);
// Asides (capture/notes.h) only where they are asked for.
std::string notes_text(const capture::Capture& capture, const Style& style, bool verbose);

}  // namespace wl::app
