// Operand values: the edges of each type crossed, then seeded random ones. The same on every machine.
#pragma once

#include "instrumentation/ptx/table/opcodes.h"

#include <cstdint>
#include <vector>

namespace wl::conformance {

// SplitMix64 (Steele, Lea, Flood 2014).
struct Random {
    uint64_t state = 0;
};
uint64_t next(Random& random);
uint64_t below(Random& random, uint64_t limit);

// What an operand is for: decides which values are worth trying.
enum class Flavour : uint8_t {
    plain,
    position,   // a shift count, a bit position, a length: around every width, and huge
    convert,    // a source of cvt: around the ranges of all integer types, halves
    angle,      // of a sine, a logarithm's or an exponential's argument: moderate
    unit,       // in [-1, 1]: .sat, tanh
    predicate,  // 0 or 1
    lane,       // 0..31
    small,      // integers of magnitude up to 8, in the type's encoding: sums are exact in any order
    finite,     // moderate values without specials: no NaN, no infinity, no overflow of sums
};

struct Operand {
    ptx::Type type = ptx::Type::b32;
    Flavour flavour = Flavour::plain;
};

// Bits of a value in a type (packed types: in every part).
uint64_t encode(ptx::Type type, double value);

std::vector<uint64_t> edges(Operand operand);    // most telling first
uint64_t draw(Operand operand, Random& random);  // any value that the flavour allows

// [operand][lane]: edges crossed in the first half, random values in the rest.
std::vector<std::vector<uint64_t>> operand_values(
    const std::vector<Operand>& operands, uint32_t lanes, uint64_t seed
);

}  // namespace wl::conformance
