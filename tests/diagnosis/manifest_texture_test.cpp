// Arrays that a manifest makes textures and surfaces: read, checked, and sampled by a kernel.
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/emulator/run.h"
#include "tests/manifest/manifest_fixture.h"

#include <cstring>

namespace wl::manifest {
namespace {

struct ManifestTexture : ManifestFolder {};

const std::string kArray = R"({ name = "A", dtype = "f16", shape = ["M", "K"], fill = "normal" })";
std::string with(const std::string& more) { return kArray.substr(0, kArray.size() - 2) + ", " + more + " }"; }

TEST_F(ManifestTexture, ATextureIsReadWithItsSampler) {
    const Kernel kernel = loaded(edited(
        kArray, with(R"(texture = { filter = "linear", normalized = true, address = ["wrap", "border"] })")
    ));
    ASSERT_TRUE(kernel.args[0].texture);
    const TextureRule& rule = *kernel.args[0].texture;
    EXPECT_TRUE(rule.linear && rule.normalized && !rule.surface && !rule.layered);
    EXPECT_EQ(rule.address[0], "wrap");
    EXPECT_EQ(rule.address[1], "border");
    EXPECT_EQ(rule.address[2], "clamp");
    EXPECT_FALSE(kernel.args[1].texture);
}

TEST_F(ManifestTexture, WhatCannotBeATextureIsSaid) {
    EXPECT_EQ(
        load_error(kArray, with(R"(texture = { filter = "cubic" })")),
        "gemm.toml:3: args[0].texture.filter is \"cubic\"; it is one of point, linear."
    );
    EXPECT_EQ(
        load_error(kArray, with("texture = { channels = 3 }")),
        "gemm.toml:3: args[0].texture.channels is 1, 2 or 4."
    );
    EXPECT_EQ(
        load_error(kArray, with("texture = { numbers = true }")),
        "gemm.toml:3: args[0].texture.numbers is for u8, s8, u16 and s16."
    );
    EXPECT_NE(
        load_error(kArray, with("surface = { filter = \"point\" }")).find("unknown key \"filter\""),
        std::string::npos
    );
}

TEST_F(ManifestTexture, TheKernelGetsAHandleAndSamplesTheArray) {
    write("image.cu", "");
    write("image.toml", R"text(
args = [
  { name = "image", dtype = "f32", shape = [3, 4, 2], fill = "coordinates", texture = { channels = 2 } },
  { name = "d", dtype = "f32", shape = [2], output = true },
]
[launch]
grid = [1]
block = [1]
)text");
    const Problem problem = bind(load("image.toml"), {});
    const ptx::Module module = ptx::parse(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 d)\n{\n"
        ".reg .b64 %rd<3>;\n.reg .b32 %f<6>;\nld.param.u64 %rd1, [t];\nld.param.u64 %rd2, [d];\n"
        "mov.b32 %f0, 0f3F800000;\nmov.b32 %f1, 0f40000000;\n"
        "tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd1, {%f0, %f1}];\n"
        "st.global.v2.b32 [%rd2], {%f2, %f3};\nret;\n}\n"
    );
    diagnosis::Prepared prepared = diagnosis::prepare_launch(problem, module.functions[0]);
    emulator::run(*emulator::lower(module, "k"), prepared.launch, prepared.memory, {});
    float d[2];
    std::memcpy(d, diagnosis::array_of(prepared.memory, "d").data(), sizeof(d));
    EXPECT_EQ(d[0], (2 * 4 + 1) * 2) << "row 2, column 1, channel 0";
    EXPECT_EQ(d[1], (2 * 4 + 1) * 2 + 1);
}

}  // namespace
}  // namespace wl::manifest
