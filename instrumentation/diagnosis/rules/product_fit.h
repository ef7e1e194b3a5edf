// Is a wrong tile the product of other operands than it should be, or of the same ones another way round?
#pragma once

#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/ptx/edit/select.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis {

// One operand of a product: the part of an input or of an earlier tile that it needs, as it lies there.
struct ProductOperand {
    std::string name;
    Matrix<double> stored;
    bool transposed = false;               // the product takes the transpose of what is stored
    int argument = -1;                     // index in Problem::args; -1: an earlier tile
    int64_t matrix = 0, row = 0, col = 0;  // of an input: which of its matrices, and where the part begins
};

// Another way to take the elements of a stored part. Done twice, everything is as it was.
struct Rearrangement {
    std::string text;    // "with each 16 x 16 block of it transposed"
    bool plain = false;  // the whole part transposed: a product is written with or without T, and no words
    std::function<std::pair<int, int>(int row, int col)> source;  // where (row, col) is taken from
};

// The reference of the first bad tile is factor x left x right; what was got is the same with one operand
// changed.
struct ProductFit {
    ProductOperand left, right;
    double factor = 1;
    bool left_differs = false;             // else the right one
    std::optional<Rearrangement> changed;  // none: `used` stands in its place
    std::string used;                      // name of the operand that was used
    std::string expected, got;             // "Q K^T", "Q K"
    double residual = 0, tolerance = 0;    // largest |got - product|, and the largest that rounding allows
    double difference = 0;                 // largest |got - reference|
    int64_t elements = 0;
};

// The simplest change that leaves nothing but rounding. None when the reference is no product of two matrices
// at hand (inputs at the tile's window, earlier tiles of the same iteration), or nothing fits.
std::optional<ProductFit> fit_product(const Symptoms& s);

// The product that the reference is, whatever was got.
std::optional<ProductFit> reference_product(const Symptoms& s);

// Is what was got factor x a x b, but for rounding, and not the reference? Fills residual, tolerance,
// difference and elements.
bool fits_product(const Symptoms& s, const ProductOperand& a, const ProductOperand& b, ProductFit& fit);

// The same of what other inputs gave, which the operands of `fit` and `a` and `b` hold; the reference is then
// the product of the former. No FP64 reference is made anew.
bool fits_elsewhere(
    const Symptoms& s,
    const std::vector<double>& got,
    const ProductOperand& a,
    const ProductOperand& b,
    ProductFit& fit
);

// Fragment loads of left or right operands, line by line.
std::vector<ptx::Places> fragment_loads(const Symptoms& s, bool left);

// Where an operand is loaded for what a mark shows: as a fragment, else the product nearest before it. An
// output has no mark: the one line that has such loads or products; several: unknown.
capture::Where where_of_load(const Symptoms& s, bool left, const capture::Probe& probe);

}  // namespace wl::diagnosis
