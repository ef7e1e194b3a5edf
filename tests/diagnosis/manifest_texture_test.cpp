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

// Cells of the array's own numbering, so that a wrong face, row or column shows.
std::vector<float> sampled(const Problem& problem, const std::string& fetch) {
    const ptx::Module module = ptx::parse(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 p, "
        ".param .u64 d)\n{\n.reg .b64 %rd<5>;\n.reg .b32 %f<8>;\n.reg .b32 %r<3>;\n"
        "ld.param.u64 %rd1, [t];\nld.param.u64 %rd2, [p];\nld.param.u64 %rd3, [d];\n"
        "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd4, %r1, 16;\nadd.u64 %rd2, %rd2, %rd4;\n"
        "mul.wide.u32 %rd4, %r1, 4;\nadd.u64 %rd3, %rd3, %rd4;\n"
        "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%rd2];\ncvt.rzi.u32.f32 %r2, %f3;\n" +
        fetch + "\nst.global.f32 [%rd3], %f4;\nret;\n}\n"
    );
    diagnosis::Prepared prepared = diagnosis::prepare_launch(problem, module.functions[0]);
    emulator::run(*emulator::lower(module, "k"), prepared.launch, prepared.memory, {});
    const std::span<const std::byte> bytes = diagnosis::array_of(prepared.memory, "d");
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
}

constexpr const char* kPoints = R"text(
  { name = "p", dtype = "f32", shape = [8, 4], fill = "points.npy" },
  { name = "d", dtype = "f32", shape = [8], output = true },
]
[launch]
grid = [1]
block = [8]
)text";

// A NumPy file of f32, 8 x 4.
std::string npy(const std::vector<float>& values) {
    std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 4), }";
    head.resize(118 - 1, ' ');
    std::string out = std::string("\x93NUMPY\x01\x00", 8) + std::string("\x76\x00", 2) + head + "\n";
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    return out;
}

TEST_F(ManifestTexture, ADirectionMeetsATexelOfACubesFace) {
    write("image.cu", "");
    const std::string image = R"(args = [
  { name = "image", dtype = "f32", shape = [12, 4, 4], fill = "coordinates", texture = { cube = true } },)";
    write("image.toml", image + kPoints);
    write("points.npy", npy({2, -0.2f, -1.2f, 0, -2, 0.2f, 1.2f, 0, 0.2f, 3, 1.6f, 0, 0.2f, -3, 1.6f, 0,
                             1, 1.2f,  4,     0, 1,  1.2f, -4,   0, 2,    0, 0,    1, 0,    0,  -1,   1}));
    const Problem problem = bind(load("image.toml"), {});
    const std::vector<float> got =
        sampled(problem, "tex.acube.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%r2, %f0, %f1, %f2}];");
    // By the guide's table: +x has s = -z, t = -y; -x s = z, t = -y; +y s = x, t = z; -y s = x, t = -z;
    // +z s = x, t = -y; -z s = -x, t = -y; a texel is floor(4 (s/m + 1) / 2).
    const auto cell = [](int face, int y, int x) { return static_cast<float>((face * 4 + y) * 4 + x); };
    EXPECT_EQ(
        got,
        (std::vector<float>{
            cell(0, 2, 3),
            cell(1, 1, 3),
            cell(2, 3, 2),
            cell(3, 0, 2),
            cell(4, 1, 2),
            cell(5, 1, 1),
            cell(6, 2, 2),
            cell(11, 2, 2)})
    );
}

TEST_F(ManifestTexture, WhatIsBehindARowsTexelsIsPitch) {
    write("image.cu", "");
    write(
        "image.toml",
        R"(args = [
  { name = "image", dtype = "f32", shape = [3, 8], fill = "coordinates", texture = { width = 5 } },)" +
            std::string(kPoints)
    );
    write("points.npy", npy({0, 0, 0, 0, 4, 0, 0, 0, 5, 0, 0, 0, 7, 1, 0, 0,
                             0, 2, 0, 0, 4, 2, 0, 0, 9, 9, 0, 0, 2, 1, 0, 0}));
    const std::vector<float> got =
        sampled(bind(load("image.toml"), {}), "tex.2d.v4.f32.f32 {%f4, %f5, %f6, %f7}, [%rd1, {%f0, %f1}];");
    EXPECT_EQ(got, (std::vector<float>{0, 4, 4, 12, 16, 20, 20, 10})) << "columns are clamped to the fifth";
}

TEST_F(ManifestTexture, CubesAndPitchThatCannotBeAreSaid) {
    EXPECT_EQ(
        load_error(kArray, with("texture = { cube = true }")),
        "gemm.toml:3: args[0].shape is that of a cube map: six faces a cube, y, x, and the channels."
    );
    EXPECT_EQ(
        load_error(kArray, with("texture = { cube = true, filter = \"linear\" }")),
        "gemm.toml:3: args[0].texture.filter is point for a cube map: filtering across its edges is not "
        "modelled."
    );
    EXPECT_NE(
        bind_error(kArray, with("texture = { width = \"K + 1\" }")).find("the texture's width is"),
        std::string::npos
    );
}

}  // namespace
}  // namespace wl::manifest
