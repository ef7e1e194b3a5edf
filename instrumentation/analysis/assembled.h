// Reference tensors put together from what another kernel left: whole outputs, and tiles wherever they lie.
#pragma once

#include "instrumentation/analysis/reference.h"

#include <string>
#include <vector>

namespace wl::analysis {

// What a tile holds of the tensor that its window names.
struct Piece {
    Window window;
    Matrix<double> value;  // (window.rows, window.cols)
};

// A tensor of pieces is as large as they reach, and elements that no piece has are not compared; of pieces
// that overlap the last counts. A name among `whole` is no tensor of pieces. What is compared with another
// kernel differs by the roundings of both: the limits are twice those of tensor_reference. Throws Error where
// the windows of one tensor have different numbers of coordinates.
Reference assembled_reference(
    std::string origin,
    std::vector<Tensor> whole,
    const std::vector<Piece>& pieces,
    const std::vector<TensorTerms>& terms
);

}  // namespace wl::analysis
