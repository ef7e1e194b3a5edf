// What is right stands elsewhere: most of a right line is other lines of its file, names apart (Barr and
// others, "The plastic surgery hypothesis", FSE 2014). Each adds its own.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

namespace wl::diagnosis::rewrite {

void add_layouts(Writer& w);   // layouts.cpp: an array is looked up as another function looks it up
void add_planes(Writer& w);    // planes.cpp: planes after each other, or elements side by side
void add_clones(Writer& w);    // clones.cpp: of two blocks that read alike one lacks a statement
void add_swaps(Writer& w);     // swaps.cpp: exchanges between statements, and in tables of numbers
void add_cases(Writer& w);     // cases.cpp: a second value that a condition names, a value of one case alone
void add_subterms(Writer& w);  // subterms.cpp: a term that stands nearby with more factors
void add_differences(Writer& w);  // differences.cpp: bounds that count from another end
void add_neutral(Writer& w);      // neutral.cpp: what the least and the most begin with
void add_edges(Writer& w);        // edges.cpp: borders of arrays that nobody sets

}  // namespace wl::diagnosis::rewrite
