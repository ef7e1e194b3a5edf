// The place of an output's elements: which they are, in words, and the line that stored to them last.
#pragma once

#include "instrumentation/analysis/pattern.h"
#include "instrumentation/diagnosis/rules/symptoms.h"
#include "instrumentation/diagnosis/writers.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::diagnosis {

// What the axes of an array are called, by the manifest: a leading extent `heads` or `H` counts heads; the
// last two are rows and columns.
std::vector<analysis::AxisName> axis_names(
    const manifest::Kernel& kernel, const std::string& array, size_t rank
);

// A flag an element of the output; empty where they cannot be told one by one.
std::vector<uint8_t> wrong_elements(const capture::Capture& capture, const capture::Output& output);

// "columns 512 and up in every row"
std::string pattern_words(
    const Symptoms& s, const capture::Output& output, const std::vector<uint8_t>& flags
);

std::optional<std::vector<Writer>> writers_of(const Symptoms& s, const capture::Output& output);

// After these what is wrong or missing follows from them, and the launch came to no end.
bool is_cut_short(const Symptoms& s);

// Fills the finding about a wrong output: its pattern, the line that wrote most of its wrong elements, the
// first of their writers, and the sentences that say so.
void place_output(const Symptoms& s, const capture::Output& output, capture::Finding& finding);

// The same of the first bad tile, by the writers that were recorded with it.
void place_tile(const Symptoms& s, capture::Finding& finding);

// Of the finite elements that are wrong the one that is worst against its own limit: "the worst difference is
// 3 where 0 is allowed".
std::string worst_text(const analysis::TileData& tile);

}  // namespace wl::diagnosis
