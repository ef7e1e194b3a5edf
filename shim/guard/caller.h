// Where the program called what is being done for it.
#pragma once

#include <array>

namespace wl::guard {

const void* caller();  // where it goes on; nullptr: no call of this thread's
// The same of the functions around that, as far as the stack can be walked.
std::array<const void*, 4> outer_callers();

}  // namespace wl::guard
