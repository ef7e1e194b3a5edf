// A kernel with a loop, and a function that it does not call: what tests of edits change.
#pragma once

#include "instrumentation/ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace wl::ptx {

inline constexpr const char* kLoop = R"(.version 9.0
.target sm_90
.address_size 64
.global .u32 counter;
.func (.param .b32 r) twice(.param .b32 a)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [a];
	add.u32 %r2, %r1, %r1;
	st.param.b32 [r], %r2;
	ret;
}
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .f32 %f<6>;
	.loc 1 10 1
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, 0;
$loop:
	.loc 1 11 1
	add.u32 %r2, %r2, 1;
	cvt.rn.f32.u32 %f1, %r2;
	mul.f32 %f2, %f1, 0f3E000000;
	mov.f32 %f3, %f2;
	.loc 1 12 1
	add.f32 %f4, %f3, %f3;
	setp.lt.u32 %p1, %r2, 4;
	@%p1 bra $loop;
	.loc 1 13 1
$L__tmp1:
	ret;
}
.file 1 "k.cu"
)";

inline constexpr size_t kEntry = 1;

inline std::string at(const Module& m, uint32_t i) {
    return print(m, m.functions[kEntry], m.functions[kEntry].code[i]);
}

inline uint32_t find(const Module& m, Op op) {
    const Code& code = m.functions[kEntry].code;
    uint32_t i = 0;
    while (i < code.size() && code[i].op != op) ++i;
    return i;
}

inline int32_t label(const Module& m, const std::string& name) { return m.functions[kEntry].labels.at(name); }

}  // namespace wl::ptx
