// What the difference looks like, for whoever makes changes: a factor that all of it lacks, a triangle that
// should be zero, rounding.
#pragma once

#include "instrumentation/compile/unit.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/rules/rules.h"

namespace wl::diagnosis {

// By which every element is to be multiplied; 1: by no such number.
double factor_of(const analysis::TileData& tile);

// The whole number, at most 4 either way, that every wrong element lacks; 0: there is none.
int offset_of(const analysis::TileData& tile);

// 1: what is wrong lies above the diagonals of matrices of so many rows and columns, and should be zero; -1:
// below; 0: neither.
int triangle_of(const analysis::TileData& tile, int64_t rows, int64_t cols);

// `unit`: the source, whose lines are told.
void add_fits(const Symptoms& s, const compile::Unit& unit, rewrite::SearchContext& context);

}  // namespace wl::diagnosis
