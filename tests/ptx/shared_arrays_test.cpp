// Shared variables as arrays: their names in C++, and elements by how they are used.
#include "instrumentation/ptx/shared_arrays.h"

#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

const char* const kText = R"(.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 smem[];
.visible .entry k() {
    .reg .b32 %r<9>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<3>;
    .shared .align 4 .b8 _ZZ1kE5words[256];
    .shared .align 4 .b8 _ZZ1kE5mixed[64];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 2;
    mov.u32 %r3, _ZZ1kE5words;
    add.s32 %r4, %r3, %r2;
    ld.shared.f32 %f1, [%r4+4];
    st.shared.b32 [_ZZ1kE5words], %r1;
    st.shared.u16 [_ZZ1kE5mixed], 1;
    st.shared.u32 [_ZZ1kE5mixed+4], %r1;
    ret;
}
)";

TEST(SharedArrays, ElementsAreThoseOfTheAccesses) {
    const std::vector<SharedArray> all = shared_arrays(parse(kText));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].name, "smem");
    EXPECT_EQ(all[0].bytes, 0u);
    EXPECT_EQ(all[0].function, -1);
    EXPECT_EQ(all[0].by, SharedArray::By::nobody);
    EXPECT_EQ(all[1].name, "words");
    EXPECT_EQ(all[1].dtype, DType::f32);
    EXPECT_EQ(all[1].by, SharedArray::By::accesses);
    EXPECT_EQ(all[1].function, 0);
    EXPECT_EQ(all[2].by, SharedArray::By::several);
    EXPECT_EQ(all[2].dtype, DType::u8);
}

TEST(SharedArrays, ALocalNameIsThatOfTheSource) {
    EXPECT_EQ(local_name("_ZZ1kE5words_0"), "words_0");
    EXPECT_EQ(local_name("_ZZN2ns4stepIfLi3EEEvPT_E5tiles"), "tiles");
    EXPECT_EQ(local_name("smem"), "smem");
}

}  // namespace
}  // namespace wl::ptx
