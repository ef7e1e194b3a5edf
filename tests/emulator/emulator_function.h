// PTX of functions and of calls to them.
#pragma once

#include "tests/emulator/emulator_kernel.h"

namespace wl::emulator::test {

inline std::string function(const std::string& head, const std::string& body) {
    return ".func " + head +
        "\n{\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n" + body + "}\n";
}
// int name(int a): %r1 holds the argument, %r2 the result.
inline std::string unary(const std::string& name, const std::string& body) {
    return function(
        "(.param .b32 r) " + name + "(.param .b32 a)",
        "ld.param.b32 %r1, [a];\n" + body + "st.param.b32 [r], %r2;\nret;\n"
    );
}
inline std::string call(const std::string& target, const std::string& argument, const std::string& result) {
    return "{\n.param .b32 q, s;\nst.param.b32 [q], " + argument + ";\ncall (s), " + target +
        ", (q);\nld.param.b32 " + result + ", [s];\n}\n";
}
inline std::string call_by_address(
    const std::string& address, const std::string& argument, const std::string& result
) {
    return "{\n.param .b32 q, s;\nst.param.b32 [q], " + argument +
        ";\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (s), " + address +
        ", (q), P;\nld.param.b32 " + result + ", [s];\n}\n";
}
inline std::string store_r(const std::string& reg) { return store(0, "u32", 4, reg); }

}  // namespace wl::emulator::test
