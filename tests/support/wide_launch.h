// A launch whose blocks are as large as a GPU's may be: 256 threads, 48 KiB of shared memory, local arrays.
// Each block adds its threads up over shared memory and stores the sum.
#pragma once

#include "tests/emulator/emulator_kernel.h"

namespace wl::emulator::test {

constexpr uint32_t kWideThreads = 256;

inline std::string wide_kernel() {
    return kernel(
        ".local .align 16 .b8 mine[512];\nmov.u32 %r20, s;\nmad.lo.u32 %r21, %r0, 4, %r20;\n"
        "st.local.u32 [mine+508], %r2;\nld.local.u32 %r22, [mine+508];\nst.shared.u32 [%r21+40000], "
        "%r22;\nbar.sync 0;\n"
        "setp.ne.u32 %p1, %r0, 0;\n@%p1 ret;\nmov.u32 %r23, 0;\nmov.u32 %r24, 0;\n"
        "LOOP:\nmad.lo.u32 %r21, %r24, 4, %r20;\nld.shared.u32 %r22, [%r21+40000];\nadd.u32 %r23, %r23, "
        "%r22;\n"
        "add.u32 %r24, %r24, 1;\nsetp.lt.u32 %p2, %r24, %r3;\n@%p2 bra LOOP;\n"
        "mul.wide.u32 %rd20, %r1, 4;\nadd.u64 %rd20, %rd20, %rd0;\nst.global.u32 [%rd20], %r23;\n",
        ".shared .align 16 .b8 s[49152];\n"
    );
}

// What block b stores: the sum of its global thread indices.
inline uint32_t wide_sum(uint32_t block) {
    return kWideThreads * kWideThreads * block + kWideThreads * (kWideThreads - 1) / 2;
}

}  // namespace wl::emulator::test
