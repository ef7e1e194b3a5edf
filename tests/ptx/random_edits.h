// Edits of every kind at random places: for the property test, and for what ptxas says of them.
#pragma once

#include "instrumentation/ptx/edit/edit.h"

#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace wl::ptx {

struct Tried {
    std::string kind;  // "set_type"
    Edit edit;
};

using Random = std::mt19937_64;
size_t below(Random& random, size_t count);  // 0 when there is none

// One edit of one kind; it may ask for nonsense, which is refused then.
Tried random_edit(Module& module, Random& random);
size_t kinds_of_edits();

}  // namespace wl::ptx
