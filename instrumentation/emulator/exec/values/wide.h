// 128-bit integers: products of 64-bit operands, and every integer type's values at once.
#pragma once

namespace wl::emulator {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace wl::emulator
