// The entry's parameter buffer: the arguments laid out as C lays out a struct, which is what PTX prescribes.
#pragma once

#include "instrumentation/manifest/manifest.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wl::manifest {

struct ParamSlot {  // one kernel parameter
    std::string name;
    uint64_t offset = 0, bytes = 0, align = 1;
};

// Every array of the problem, in the order in which a kernel meets them: arguments in order, a struct's
// fields in place. Addresses are given in this order.
std::vector<const BoundArgument*> arrays(const Problem& problem);

// What the launch that is looked at gets, in the order of its entry's parameters.
std::vector<const BoundArgument*> parameters(const Problem& problem);

// Each parameter at the next multiple of its natural alignment: a pointer 8, a scalar its size, a struct the
// largest of its fields, padded to a multiple of it (PTX ISA 9.0, 5.1.6 "Parameter State Space").
std::vector<ParamSlot> param_layout(const Problem& problem);

// The buffer, padding zero. Throws Error unless there is one address for each array.
std::vector<std::byte> param_buffer(const Problem& problem, const std::vector<uint64_t>& addresses);

// Compares with the parameter sizes that the compiled entry declares. Throws Error naming the first argument
// that does not fit, or the two counts.
void check_params(const Problem& problem, const std::string& entry, const std::vector<uint64_t>& sizes);

}  // namespace wl::manifest
