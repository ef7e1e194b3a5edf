// What the fragments panel shows of an answered instruction, cell by cell.
#pragma once

#include "app/worker/fragment_report.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::app {

struct FragmentCell {
    int lane = -1, element = 0;  // of the first lane that holds it; -1: none
};

// The same elements in a marked matrix in memory.
struct Footprint {
    int laid = -1;                             // index in Live::laid; -1: none
    std::vector<fragments::LaidPlace> places;  // (lanes, elements); line -1: elsewhere
    // From element (0, 0) on along the rows' index, and along the columns': as it was read, as it should be.
    std::vector<fragments::LaidPlace> down, across, should_down, should_across;
};

struct FragmentOperandView {
    int operand = 0;                  // index in Live::operands
    std::vector<FragmentCell> cells;  // (matrices * rows, columns)
    std::string should_of;       // what `should` is by: "K by its own leading dimension, 80"; empty: nothing
    std::vector<double> should;  // (lanes, elements); NaN: not known
    std::vector<uint8_t> wrong;  // the same
    int wrong_count = 0;         // of the matrix's elements
    double low = 0, high = 0;    // of the finite values, and of `should`
    Footprint footprint;
    std::vector<fragments::LaidPlace> should_places;  // (lanes, elements); empty: not of memory
};

struct FragmentView {
    uint64_t content = 0;                       // grows with every answer
    std::vector<FragmentOperandView> operands;  // as Live::operands
    int first = 0;                              // the operand that was asked about
};

}  // namespace wl::app
