// Definition chains find their origin.
#include "instrumentation/diagnosis/rules/definitions.h"

#include <gtest/gtest.h>

namespace wl::diagnosis {
namespace {

constexpr const char* kLoop = R"(.version 9.0
.target sm_90
.address_size 64
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
	ret;
}
.file 1 "k.cu"
)";

TEST(Definitions, TheOriginOfAValueIsFoundThroughMoves) {
    const ptx::Module m = ptx::parse(kLoop);
    const ptx::Function& f = entry_of(m, "k");
    const Definitions defs = definitions(f);
    uint32_t add = static_cast<uint32_t>(f.code.size());
    for (uint32_t i = 0; i < f.code.size(); ++i) {
        if (f.code[i].mnemonic == "add.f32") add = i;
    }
    ASSERT_LT(add, f.code.size());
    EXPECT_TRUE(comes_from(f, defs, f.code[add].operands[1], ptx::Op::mul));
    EXPECT_FALSE(comes_from(f, defs, f.code[add].operands[1], ptx::Op::cvt));
    EXPECT_EQ(f.code[static_cast<size_t>(nearest_definition(f, defs, add, {ptx::Op::cvt}))].op, ptx::Op::cvt);
    EXPECT_EQ(m.locations[static_cast<size_t>(input_location(f, defs, add))].line, 11);
}

}  // namespace
}  // namespace wl::diagnosis
