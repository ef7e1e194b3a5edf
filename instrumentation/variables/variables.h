// Source variables of a debug build (nvcc or NVRTC with -G): their names, types and where each lives at every
// instruction. Read from the DWARF sections that the compiler leaves in the PTX text, by libdw.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wl::variables {

struct Member {
    std::string name;
    uint64_t offset = 0;  // bytes
    int type = -1;
    bool inherited = false;            // a base class; named as its type
    uint32_t first_bit = 0, bits = 0;  // of a bit-field: from the lowest bit at `offset`; 0: no bit-field
};

struct Enumerator {
    std::string name;
    int64_t value = 0;
};

struct Type {
    enum class Kind : uint8_t {
        integer,
        natural,
        real,
        boolean,
        character,
        pointer,
        reference,    // stands for what it refers to
        enumeration,  // signed when an enumerator is negative
        array,
        structure,
        other
    };
    Kind kind = Kind::other;
    std::string name;  // "float", "int*", "float[4]", "half2"
    uint64_t bytes = 0;
    int of = -1;         // element of an array, target of a pointer or reference; -1: none
    uint64_t count = 0;  // elements of an array
    std::vector<Member> members;
    std::vector<Enumerator> enumerators{};
};

// Where a piece of a variable lives: in a register of the function, or at an offset from a PTX variable.
struct Place {
    int32_t reg = -1;    // index in Function::registers
    std::string symbol;  // "__local_depot3", a shared or global variable; used when reg < 0
    ptx::Space space = ptx::Space::none;
    uint64_t offset = 0;  // bytes from the symbol
    uint64_t bytes = 0;   // of the piece; 0: the whole variable
};

// A stretch of instructions of the function, [begin, end), with the variable's pieces in order.
struct Range {
    int32_t begin = 0, end = 0;
    std::vector<Place> places;
};

struct Variable {
    std::string name;
    int type = -1;
    int line = 0;                // of the declaration, in the file of its function; 0: unknown
    int function = -1;           // index in Module::functions; -1: of the whole module
    std::string inlined;         // name of the inlined function that declares it; empty: the function itself
    int32_t begin = 0, end = 0;  // instructions of its scope
    bool is_parameter = false;
    std::vector<Range> ranges;  // none: optimised out
};

struct Variables {
    std::vector<Type> types;
    std::vector<Variable> all;
};

// Empty for a module without debug sections. Throws Error when the sections are malformed.
Variables read(const ptx::Module& module);

// The variables whose scope holds the instruction, innermost scope first; a name may occur several times, the
// first is what the source means by it.
std::vector<const Variable*> visible(const Variables& variables, int function, int32_t instruction);

// Where the variable lives at an instruction; nullptr: nowhere (not yet set, or not kept any longer).
const Range* place_at(const Variable& variable, int32_t instruction);

}  // namespace wl::variables
