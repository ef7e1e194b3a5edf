// The table of the driver's names.
#pragma once

namespace wl::cuda {

enum class Found { yes, no_such_name, not_so_old };
struct Named {
    Found found = Found::no_such_name;
    int (*function)() = nullptr;
};
// The newest form of a function that CUDA `version` (12030: 12.3) has. `name`: without the suffix of a
// version.
Named named(const char* name, int version);

}  // namespace wl::cuda
