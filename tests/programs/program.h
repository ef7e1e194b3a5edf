// Whole kernels with their launches and inputs: what tests/programs/*/*.cu are run with, here and on a GPU.
#pragma once

#include "instrumentation/base/dim3.h"
#include "instrumentation/base/dtype.h"
#include "tests/conformance/case.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wl::programs {

// How far an element may lie from the GPU's: absolute + relative * |the GPU's|. Zero: the same bits.
struct Bound {
    double relative = 0, absolute = 0;
    std::string_view derivation;
};

struct Argument {
    enum class Kind : uint8_t {
        value,    // passed as it is
        input,    // the address of an allocation
        changed,  // likewise, compared afterwards
        output,   // likewise, but nobody has written it when the kernel starts
        scratch,  // neither initialised nor compared
        image,    // the handle of a texture, or of a surface, which is compared afterwards
    };
    Kind kind = Kind::value;
    DType type = DType::f32;
    std::vector<std::byte> bytes;  // before the launch
    Bound bound;                   // of the elements of `changed` and `output`
    conformance::Image image;      // its texels are `bytes`
};

struct Program {
    std::string name;  // of the file and of its entry
    Dim3 grid, block;
    std::vector<Argument> arguments;  // the kernel's parameters in order
    uint32_t dynamic_shared = 0;      // bytes
    bool cooperative = false;         // the grid synchronises
    bool prints = false;              // what it prints is compared too
};

std::vector<Program> all_programs();

std::string source_path(const Program& program);
std::string ptx_of(const Program& program);  // by NVRTC; throws Error with its message

bool is_compared(const Argument& argument);
size_t compared_bytes(const Program& program);  // without what it prints

// Of everything that decides the result: source, launch, arguments.
uint64_t hash_of(const Program& program);

// What the emulator makes of it, with every check on.
struct Outcome {
    std::vector<std::byte> bytes;  // of the compared arguments, in order
    std::string printed;
    std::vector<std::string> incidents;  // a clean program has none
};
// In the order of that seed (emulator/explore.h). Throws Unsupported.
Outcome emulate(const Program& program, uint64_t schedule = 0);

}  // namespace wl::programs
