// Everything that a GPU machine needs to run the cases: machine code, inputs, a list. And what ptxas accepts.
#pragma once

#include "tests/conformance/golden.h"

#include <nlohmann/json.hpp>

namespace wl::conformance {

// The program `ptxas` and a folder that exists, for its files.
struct Assembler {
    std::string ptxas, folder;
};

// The cases that ptxas compiles for sm_90; the others' messages go into `rejected`. Throws Error when ptxas
// cannot be run.
std::vector<const Case*> accepted(
    const Assembler& assembler, std::span<const Case* const> cases, Messages& rejected
);

// Writes cases.json and data.z (zlib: all cubins and initial buffers, equal ones once) into the assembler's
// folder. Each case is a cubin of its own, so that none can take another along. Throws Error naming a case
// that does not compile.
void write_bundle(const Assembler& assembler, std::span<const Case* const> cases);

// All that tests/gpu/cuda_texture.py must know to make it, but its texels.
nlohmann::json described(const Image& image);

}  // namespace wl::conformance
