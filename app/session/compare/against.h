// A and B: the loaded capture and what it is compared with, in the same heatmaps.
#pragma once

#include "app/session/compare/sides.h"
#include "app/session/tile_load.h"

#include <cstdint>
#include <memory>
#include <string>

namespace wl::app {

bool has_other(const Against& against);  // there is a B

// Compares on a thread of its own; both captures have to outlive it.
void start_counting(Against& against, const capture::Capture& a);
bool hear_counting(Against& against);  // true: something changed
bool is_counting(const Against& against);

// The tile of B that stands against that of A; -1: B has none.
int tile_of_b(const Against& against, const capture::Capture& a, int tile);

// Both as one view: `got` is A, `reference` is B, in the rows and columns that both have; the bound is both
// bounds together. Without elements on both sides it is empty.
TileView load_pair_view(
    const Against& against,
    const capture::Capture& a,
    int tile,
    uint64_t& contents,
    std::unique_ptr<TileLoad>& loading
);

// "differs from l, iteration 0, block (0, 0, 0) on: 64 of 64 elements, by up to 679"
std::string first_words(const analysis::CaptureComparison& comparison, const capture::Capture& a);

}  // namespace wl::app
