// One instruction over many inputs: each thread applies it to its own elements.
#pragma once

#include "tests/emulator/emulator_kernel.h"

#include <gtest/gtest.h>

namespace wl::emulator::test {

inline const char* register_of(const std::string& type) {
    if (type == "f32") return "%f";
    if (type == "f64") return "%fd";
    const std::string digits = type.substr(1);
    if (digits == "64") return "%rd";
    if (digits == "16" || digits == "f16") return "%h";
    return "%r";
}
inline const char* bits_type(size_t size) {
    switch (size) {
        case 2: return "b16";
        case 4: return "b32";
        default: return "b64";
    }
}
template <class T>
std::string register_for(int index) {
    if constexpr (std::is_same_v<T, float>)
        return fmt::format("%f{}", index);
    else if constexpr (std::is_same_v<T, double>)
        return fmt::format("%fd{}", index);
    else if constexpr (sizeof(T) == 8)
        return fmt::format("%rd{}", index);
    else if constexpr (sizeof(T) == 2)
        return fmt::format("%h{}", index);
    else
        return fmt::format("%r{}", index);
}

// D[i] = op(A[i], ...) by "op d, a, b, c;" for all elements; the last warp is partly filled unless the count
// is a multiple of 32.
template <class D, class... S>
std::vector<D> apply(const std::string& op, const std::vector<S>&... sources) {
    const size_t count = std::get<0>(std::tie(sources...)).size();
    std::string body;
    std::string operands = register_for<D>(30);
    int k = 0;
    const auto fetch = [&]<class T>(const std::vector<T>&) {
        const std::string r = register_for<T>(31 + k);
        body += load(1 + k, bits_type(sizeof(T)), sizeof(T), r);
        operands += ", " + r;
        ++k;
    };
    (fetch(sources), ...);
    body += op + " " + operands + ";\n" + store(0, bits_type(sizeof(D)), sizeof(D), register_for<D>(30));
    constexpr size_t kThreads = 128;
    const size_t blocks = (count + kThreads - 1) / kThreads;
    // Threads beyond the end leave before they load.
    KernelRun run(
        kernel(fmt::format("setp.ge.u32 %p1, %r2, {};\n@%p1 bra DONE;\n{}DONE:\n", count, body)),
        kThreads,
        static_cast<uint32_t>(blocks)
    );
    run.template out<D>("d", count);
    (run.in("s" + std::to_string(run.used), sources), ...);
    run.go();
    EXPECT_TRUE(run.result.incidents.empty()) << op;
    return run.template get<D>("d");
}

}  // namespace wl::emulator::test
