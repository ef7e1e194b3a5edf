// A tile against its reference: verdict, metrics, and the first bad tile in kernel time.
#pragma once

#include "instrumentation/analysis/reference.h"
#include "instrumentation/capture/capture.h"

#include <optional>
#include <string_view>
#include <vector>

namespace wl::analysis {

enum class Metric : uint8_t { difference, relative, ratio, ulp };
std::optional<Metric> metric_from_name(std::string_view name);
std::string_view name_of(Metric metric);

// Everything a panel, a picture or a rule needs of one tile, decoded from the capture's blobs.
struct TileData {
    int rows = 0, cols = 0;  // 0: the tile's block was not recorded
    DType dtype = DType::f32;
    Matrix<double> got;
    Matrix<double> reference;  // empty without one; NaN where not compared
    Matrix<float> bound;  // empty without one: limit for |got - reference|, the tile's own rounding included
    Matrix<capture::Owner> owner;  // empty unless recorded
    std::vector<std::byte> raw;    // elements as captured, row-major
};
TileData load_tile(const capture::Capture& capture, const capture::Tile& tile);

// Is this element wrong? |got - reference| > bound, or NaN/Inf where the reference is finite. A reference of
// -inf is a masked score: any got <= -bound vanishes in exp as it must. A NaN reference is not compared.
bool is_bad(double got, double reference, float bound);

// Are its elements compared bit by bit?
bool is_exact(DType dtype, const ReferenceTile& reference);

// The limit of each element in its own tile: what the reference derived, plus one rounding to the tile's
// format.
Matrix<float> limits(DType dtype, const ReferenceTile& reference);

struct Comparison {
    int64_t compared = 0, bad = 0, nan = 0, inf = 0;
    double max_difference = 0, max_excess = 0;  // excess: |got - reference| / bound
    double min = 0, max = 0;                    // of got, over finite elements
    int first_bad_row = -1, first_bad_col = -1;
    bool estimated = false;
    bool doubtful = false;  // all that is bad is so by an estimate alone, and may be rounding
};
// `values`: rows * cols elements of dtype, row-major. An empty reference (rows 0) counts NaN and Inf only.
// Integers are right when they are equal, in all their bits, unless the reference's bound is a tolerance.
Comparison compare(DType dtype, const std::vector<std::byte>& values, const ReferenceTile& reference);
void store(capture::Tile& tile, const Comparison& comparison);  // verdict and figures

// One metric over the whole tile; NaN where not compared. difference = got - reference; relative = difference
// / |reference|; ratio = got / reference; ulp = signed distance in the tile's format.
Matrix<float> metric_matrix(const TileData& tile, Metric metric);

// The first tile in kernel time that is bad: the lowest (iteration, step) over all blocks, then the lowest
// block; outputs last. Index in Capture::tiles; -1: none.
int first_bad_tile(const capture::Capture& capture);

// The hypothesis "got = factor * reference", over the compared elements whose reference stands well above its
// bound. None where they have too few different values to show a pattern, or the factor is 1.
struct FactorFit {
    double factor = 0;     // median of got / reference
    double spread = 0;     // max |ratio / factor - 1|
    int64_t elements = 0;  // used
    int64_t bad_after =
        0;  // of all compared elements, those outside the bound once got is divided by the factor
};
std::optional<FactorFit> fit_factor(const TileData& tile);

}  // namespace wl::analysis
