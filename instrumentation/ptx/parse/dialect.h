// What PTX of the first versions and devices leaves unsaid.
#pragma once

#include <string>
#include <string_view>

namespace wl::ptx {

struct Dialect {
    int version = 90;            // 10 * major + minor of .version
    bool first_devices = false;  // .target sm_10 to sm_13
};

// Of a module's .version and .target; what is no number counts as the latest version.
Dialect dialect_of(std::string_view version, std::string_view target);

// The mnemonic with the words that it means by itself, read as PTX ISA 9.0 reads it: `rcp.f32` of PTX 1.3 is
// `rcp.approx.ftz.f32`. The rules are the ISA's notes on each instruction (9.7.3), as ptxas 13.0 carries them
// out when it compiles such modules for sm_75.
std::string spelt_out(const Dialect& dialect, std::string_view mnemonic);

}  // namespace wl::ptx
