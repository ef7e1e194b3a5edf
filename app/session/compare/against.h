// A and B: the loaded capture and what it is compared with, in the same heatmaps.
#pragma once

#include "app/session/compare/search.h"
#include "app/session/tile_load.h"
#include "app/session/tile_view.h"
#include "instrumentation/analysis/compare.h"
#include "instrumentation/capture/capture.h"

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>

namespace wl::app {

struct Counted {
    std::optional<analysis::CaptureComparison> answer;
    std::string problem;  // why there is none
};

struct Against {
    std::string name;                               // of B: "before v2c_3.cu was saved", "v2c_3 --seed 1"
    std::shared_ptr<const capture::Capture> other;  // null: B is an earlier iteration of A, or nothing
    int iterations = 0;                             // that earlier; 0: `other` decides
    bool shown = false;                             // tiles stand against B in place of their reference
    uint64_t number = 0;                            // another whenever what is shown is
    Counted counted;                                // A with `other`
    std::future<Counted> counting;
    std::unique_ptr<DifferenceSearch> search;  // under way, for the next tile that differs
    Against() = default;
    Against(Against&&) = default;
    Against& operator=(Against&&) = default;
};
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
