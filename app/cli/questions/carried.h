// A problem out of a capture alone: its manifest's text, its PTX, its sources and the inputs that it carries.
// No file that it names is opened, and nothing of it is compiled or executed but by the emulator.
#pragma once

#include "app/cli/options.h"
#include "instrumentation/capture/capture.h"

#include <string>

namespace wl::app {

// Puts what the problem is made of into the capture of its run: the manifest's text among the sources (of a
// recorded launch its SHA-256), and as tiles named "input NAME" the arrays that no fill and seed give again.
void carry(const manifest::Problem& problem, capture::Capture& capture);

// The launch of the capture at `path`, with the inputs that it carries. A reference that is no builtin
// becomes what the capture holds of it. Throws Error where the capture contradicts itself.
manifest::Problem carried_problem(
    const capture::Capture& capture, const KernelOptions& options, const std::string& path
);

// Whether it carries inputs.
bool carries_inputs(const capture::Capture& capture);

// The --inputs of a run with the inputs of the capture at `path`: a kind of fill, or none. Throws Error where
// it was made with others and does not carry them.
std::string carried_fill(const capture::Capture& capture, const std::string& path);

// Arrays that no fill and seed give become those of the capture.
void take_inputs(manifest::Problem& problem, const capture::Capture& capture, const std::string& path);

}  // namespace wl::app
