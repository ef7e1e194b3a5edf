// The families of the table, one file each group; forms.cpp joins them.
#pragma once

#include "instrumentation/ptx/table/opcodes.h"

#include <array>

namespace wl::ptx {

extern const std::array<Family, 2> kIntegerFamilies;
extern const std::array<Family, 3> kFloatFamilies;
extern const std::array<Family, 4> kMoveFamilies;
extern const std::array<Family, 3> kMemoryFamilies;
extern const std::array<Family, 2> kTextureFamilies;
extern const std::array<Family, 3> kControlFamilies;
extern const std::array<Family, 4> kSyncFamilies;
extern const std::array<Family, 6> kMatrixFamilies;
extern const std::array<Family, 2> kVideoFamilies;

}  // namespace wl::ptx
