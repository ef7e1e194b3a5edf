// Everything that the panels show of the current tile, computed once when the selection reaches it.
#pragma once

#include "app/session/pyramid.h"
#include "app/session/selection.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/analysis/ownership.h"
#include "instrumentation/capture/capture.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace wl::app {

constexpr int kMetrics = 4;  // of analysis::Metric

struct Layer {
    Plane values;
    Pyramid pyramid;          // without levels: not measured yet; lo and hi are then of a sample
    float lo = 0, hi = 0;     // over finite elements
    double mean = 0;          // likewise
    PlaneFigures figures;     // the same and more
    std::vector<float> bins;  // elements by value, from lo to hi; of every nth row where they are many
};
constexpr int kValueBins = 256;

// Errors on a logarithmic axis: |got - reference| of compared finite elements, by decade thirds.
struct ErrorHistogram {
    double first = 0, width = 0;    // log10 of the left edge of bin 0; of a bin's width
    std::vector<double> good, bad;  // elements inside and outside their bound
    int64_t exact = 0;              // difference 0: no place on this axis
    double bound = 0;               // the median bound; of a regular sample where they are many
};

struct TileView {
    int tile = -1;
    std::array<const char*, 2> names = {"got", "reference"};  // of what stands against what
    uint64_t content = 0;                                     // grows with every tile that is loaded
    bool measured = true;              // false: pyramids, counts and what is wrong are on their way
    TileSource data;                   // of the capture, or of `held`
    std::shared_ptr<const void> held;  // elements that no capture holds
    Layer got, reference;
    std::array<Layer, kMetrics> metric;  // by analysis::Metric
    Layer owner;                         // warp * 32 + lane; -1: never written
    std::vector<Element> non_finite;     // of got; the first kMaxMarks
    std::vector<Element> worst;  // wrong elements, largest excess over the bound first; the first kMaxWorst
    int64_t wrong_count = 0;
    analysis::Ownership ownership;
    ErrorHistogram errors;
};
constexpr size_t kMaxMarks = 256, kMaxWorst = 512;

bool has_values(const TileView& view);
bool has_reference(const TileView& view);
bool has_owner(const TileView& view);

// What the source lies in must outlive what is made.
TileView view_of(const TileSource& source, int tile, uint64_t content, Effort* effort = nullptr);
TileView make_tile_view(
    const capture::Capture& capture, int tile, uint64_t content, Effort* effort = nullptr
);
// What can be shown at once of a tile of any size.
TileView preview_of(const capture::Capture& capture, int tile, uint64_t content);
// The same while of all that is kept of it the values alone have been read from the file.
TileView preview_of_values(const capture::Capture& capture, int tile, uint64_t content);
int64_t effort_of(const TileSource& source);  // what Effort::elements will come to

// "f16 64x64"
std::string shape_text(const capture::Probe& probe, int rows, int cols);

}  // namespace wl::app
