// A problem made ready to run: compiled, its reference made.
#pragma once

#include "instrumentation/compile/options.h"
#include "instrumentation/diagnosis/case.h"

#include <cstddef>

namespace wl::diagnosis {

// Compiles and parses; fills the capture's launch, sources, sites and notes.
Experiment make_experiment(manifest::Problem problem, const Options& options, capture::Capture& capture);

// How the kernel is compiled.
compile::CompileOptions compile_options(const manifest::Problem& problem, const Options& options);

// The same kernel compiled with source variables, several times the instructions. Throws Error where there is
// no source.
Experiment debug_build_of(const Experiment& e);

// The same with another launch to be looked at.
Experiment at_launch(const Experiment& e, size_t launch);

}  // namespace wl::diagnosis
