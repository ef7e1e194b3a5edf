// A fragment by its name: which lane holds which element of which operand in which bits of which register,
// asked in both directions; and how that is known.
#pragma once

#include "instrumentation/base/fragment_layout.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::fragments {

// measured: a GPU was asked about this very map. alike: about the same one of another type of as many bits.
// isa: the figures of PTX ISA 9.0 say so. cutlass: the copy traits of CUTLASS 4 say so.
enum class Proof : uint8_t { measured, alike, isa, cutlass };

struct Map {
    std::string name;         // "wmma.m16n16k16 a f16 row"
    std::string instruction;  // "wmma.m16n16k16"
    std::string operand;      // "a", "b", "c" (d lies as c does), "e0": metadata of selector 0; "": of a move
    std::string type;         // "f16"
    std::string row_axis, column_axis;  // "m", "k"; what the matrix calls its rows and columns
    std::string section;                // of PTX ISA 9.0
    Proof proof = Proof::isa;
    std::string alike;      // the type that was measured
    int lanes = 32;         // 128: a warpgroup
    int blocks = 1;         // so many such fragments one behind the other, as matrices of their own
    FragmentLayout layout;  // at(lane, element) for all of them; row -1: these bits hold nothing
};

// An array of fragments: its registers are those of the first, then those of the second, ...
Map repeated(Map map, int blocks);

// "measured on an H200 (sm_90)", "from the ISA, not measured"
std::string proof_text(const Map& map);

// Bits of a register of a lane.
struct Holder {
    int lane = 0;
    int element = 0;  // of the lane, from the lowest bits of its first register up
    int reg = 0;      // of the fragment, from 0
    int bit = 0, bits = 0;
    friend bool operator==(const Holder&, const Holder&) = default;
};
Holder holder_of(const Map& map, int lane, int element);
// Every lane that holds the element: of a wmma fragment of f16 a lane has each of its elements several times.
std::vector<Holder> holders(const Map& map, const FragmentPlace& of);
// "low half", "byte 2", "nibble 5", "bit 17"; of elements as wide as a register "".
std::string part_text(const Holder& holder);

struct Held {
    Holder holder;
    FragmentPlace place;
};
// What a lane holds, in one of its registers (-1: in all).
std::vector<Held> held(const Map& map, int lane, int reg = -1);

// "(9, 4)"; where there are several matrices "(1: 9, 4)".
std::string place_text(const Map& map, const FragmentPlace& place);

}  // namespace wl::fragments
