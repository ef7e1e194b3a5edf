// A matrix of numbers that are made where they are read: a decoded copy of a tile of 16384x16384 elements
// with its reference, bound and writers would be 8 GB.
#pragma once

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/matrix.h"
#include "instrumentation/capture/capture.h"

#include <functional>
#include <span>

namespace wl::app {

// NaNs with the sign set mark elements without a value to show; a value that is NaN has its sign clear.
float absent();               // not compared, outside the tensor
float masked();               // infinite as the reference wants it, or as good as that: a masked score
bool is_absent(float value);  // either
bool is_masked(float value);
float canonical(float value);  // any NaN becomes the positive quiet NaN

// The elements of a tile where they lie in the capture, which must outlive this.
struct TileSource {
    int rows = 0, cols = 0;  // 0: they were not kept
    DType dtype = DType::f32;
    std::span<const std::byte> raw, references, bounds, owners;  // f64, f32, Owner; empty: none
    bool paired = false;  // the references are what another run got: a NaN of theirs is a value
    size_t index(int row, int col) const {
        return static_cast<size_t>(row) * static_cast<size_t>(cols) + static_cast<size_t>(col);
    }
    double got(int row, int col) const;
    double reference(int row, int col) const;
    float bound(int row, int col) const;
    capture::Owner owner(int row, int col) const;
};
TileSource source_of(const capture::Capture& capture, const capture::Tile& tile);
// Outside its bound; of a pair, a NaN on one side alone is.
bool is_wrong(const TileSource& source, int row, int col);
bool is_wrong(const TileSource& source, double got, double reference, float bound);
bool is_compared(const TileSource& source, double reference);

struct Plane {
    int rows = 0, cols = 0;
    std::function<void(int row, int col, int count, float* out)> read;  // within one row
    float operator()(int row, int col) const;
};
Plane plane_of(Matrix<float> matrix);

Plane got_plane(const TileSource& source);        // canonical(); masked()
Plane reference_plane(const TileSource& source);  // absent(); masked(); of a pair canonical()
// A metric has no value where there is no reference; a NaN elsewhere is the kernel's. What agrees with an
// infinite reference agrees.
Plane metric_plane(const TileSource& source, analysis::Metric metric);
Plane owner_plane(const TileSource& source);  // warp * 32 + lane; -1: never written

}  // namespace wl::app
