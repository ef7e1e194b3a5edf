// Everything that a GPU machine needs to run the cases: modules of PTX, inputs, a list. And what ptxas
// accepts.
#pragma once

#include "tests/conformance/golden.h"

namespace wl::conformance {

struct Module {
    std::string text;
    std::vector<const Case*> cases;  // case i of the module is the entry "c<i>"
};

Module module_of(std::span<const Case* const> cases);

// The cases that ptxas compiles for sm_90; the others' messages go into `rejected`. Runs `ptxas` on files in
// `folder`. Throws Error when ptxas cannot be run.
struct Assembler {
    std::string ptxas, folder;
};
std::vector<Module> accepted(
    const Assembler& assembler, std::span<const Case* const> cases, Messages& rejected
);

// Writes m000.ptx ..., inputs.z (zlib: all initial buffers, equal ones once) and cases.json into the folder.
void write_bundle(const std::string& folder, std::span<const Module> modules);

}  // namespace wl::conformance
