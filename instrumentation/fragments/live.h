// The fragments of one executed instruction with their values: what each lane holds, which bytes of memory it
// came from or goes to, and what lies there when the memory is read as it was laid out.
#pragma once

#include "instrumentation/base/dtype.h"
#include "instrumentation/fragments/map.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wl::fragments {

// A matrix in memory that a mark names, as the memory was when the fragment was loaded or stored.
struct Laid {
    std::string name;
    DType dtype = DType::f32;
    bool column = false;  // column-major
    int rows = 0, cols = 0;
    int ld = 0;                  // elements from one line to the next; lines: rows, or columns
    uint64_t address = 0;        // generic
    std::vector<double> values;  // (lines, ld), padding included; NaN: outside of memory
    int lines() const { return column ? cols : rows; }
    int width() const { return column ? rows : cols; }  // of a line, without its padding
};
struct LaidPlace {
    int line = 0, at = 0;  // at >= width(): padding
    friend bool operator==(const LaidPlace&, const LaidPlace&) = default;
};
std::optional<LaidPlace> place_in(const Laid& laid, uint64_t address);  // nothing: outside of it
// "K[3][17]"; "padding after K[3]".
std::string place_text(const Laid& laid, const LaidPlace& place);

struct Operand {
    std::string name;  // "a", "b", "c", "d"
    Map map;
    std::vector<double> values;  // (lanes, elements)
    // Of what came from memory or goes there:
    std::vector<uint64_t> addresses;  // (lanes, elements), generic; 0: this register did not; empty: none did
    bool stored = false;              // goes there
    std::string place;                // "v2c_4.cu:75" of the load or store
    std::string instruction;          // its text
    int64_t ld = 0;                   // that it was given; 0: it takes addresses of rows
    bool column = false;              // it reads columns of the operand from memory
    int laid = -1;                    // index in Live::laid
};

struct Live {
    std::string instruction, file;
    int line = 0;  // of the user's source
    int64_t block = 0;
    int warp = 0;
    uint64_t time = 0, order = 0;
    std::string focus;  // the operand that the asked instruction loads for this one; empty: it is this one
    std::string mark;   // of WL_FRAGMENT: its name
    std::string note;   // how a mark's map is known
    std::vector<Operand> operands;
    std::vector<Laid> laid;
    uint64_t shared_base = 0;  // generic address of the block's shared memory
};

// What each element would be if it were read otherwise. Not an order to the kernel: a comparison.
struct Reading {
    std::vector<double> values;     // (lanes, elements); NaN: nothing lies there
    std::vector<LaidPlace> places;  // line -1: outside
    std::vector<uint8_t> wrong;     // 1: comes from elsewhere than it would
    int wrong_count = 0;
};
// From the same first element, by the leading dimension with which the memory was laid out. Nothing: it is
// not known, or is the one that was given.
std::optional<Reading> by_its_own_ld(const Live& live, const Operand& operand);
// X[c][r] wherever X[r][c] was read.
std::optional<Reading> transposed(const Live& live, const Operand& operand);

// The first element of the operand's matrix in memory: where it starts.
std::optional<LaidPlace> start_of(const Live& live, const Operand& operand);

}  // namespace wl::fragments
