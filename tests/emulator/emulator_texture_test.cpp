// Textures and surfaces: which texel, with which weight; what lies outside; handles that are none.
#include "tests/emulator/emulator_kernel.h"

#include <bit>
#include <gtest/gtest.h>

namespace wl::emulator::test {
namespace {

// A texture over an array of its own, whose handle is the next parameter.
template <class T>
KernelRun& add_image(KernelRun& run, Texture t, const std::vector<T>& texels) {
    t.name = "image";
    t.data = allocate(run.memory, t.name, bytes_of(texels));
    return run.add(add_texture(run.memory, t));
}

Texture plane(uint32_t width, uint32_t height) {
    Texture t;
    t.extent = {width, height, 1};
    return t;
}
// Texel (x, y) is 10 y + x.
std::vector<float> position_coded(uint32_t width, uint32_t height) {
    std::vector<float> v;
    for (uint32_t y = 0; y < height; ++y)
        for (uint32_t x = 0; x < width; ++x) v.push_back(static_cast<float>(10 * y + x));
    return v;
}

// Each thread samples at its (x, y) and stores the first channel.
std::string sampling() {
    return kernel(
        load(1, "f32", 4, "%f1") + load(2, "f32", 4, "%f2") +
        "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd3, {%f1, %f2}];\n" + store(0, "f32", 4, "%f3")
    );
}
std::vector<float> sampled(const Texture& t, const std::vector<float>& x, const std::vector<float>& y) {
    const auto count = static_cast<uint32_t>(x.size());
    KernelRun run(sampling(), count);
    run.out<float>("d", count).in("x", x).in("y", y);
    add_image(run, t, position_coded(t.extent[0], t.extent[1])).go();
    EXPECT_TRUE(run.result.incidents.empty());
    return run.get<float>("d");
}

TEST(EmulatorTexture, PointsAreTheTexelBelow) {
    EXPECT_EQ(
        sampled(plane(5, 3), {0, 0.99f, 4.5f, 2}, {0, 1, 2.75f, 0.5f}), (std::vector<float>{0, 10, 24, 2})
    );
}

TEST(EmulatorTexture, LinearWeightsHaveEightBits) {
    Texture t = plane(5, 3);
    t.linear = true;
    // Texel centres lie at halves. 1/512 of a texel is below the resolution of 1/256 and rounds up.
    EXPECT_EQ(
        sampled(t, {0.5f, 1, 1.75f, 2.5f + 1.0f / 256, 2.5f + 1.0f / 1024}, {0.5f, 0.5f, 1, 0.5f, 0.5f}),
        (std::vector<float>{0, 0.5f, 6.25f, 2 + 1.0f / 256, 2})
    );
}

TEST(EmulatorTexture, AddressModesSayWhatLiesOutside) {
    const std::vector<float> outside = {-0.25f, 1.125f, 2.625f}, middle(3, 0.25f);
    const auto with = [&](AddressMode mode) {
        Texture t = plane(4, 2);
        t.normalized = true;
        t.border[0] = 99;
        t.address.fill(mode);
        return sampled(t, outside, middle);
    };
    EXPECT_EQ(with(AddressMode::clamp), (std::vector<float>{0, 3, 3}));
    EXPECT_EQ(with(AddressMode::wrap), (std::vector<float>{3, 0, 2}));
    EXPECT_EQ(with(AddressMode::mirror), (std::vector<float>{1 - 1.0f, 3, 2}));
    EXPECT_EQ(with(AddressMode::border), (std::vector<float>{99, 99, 99}));
}

TEST(EmulatorTexture, BytesAreReadAsNumbersOrAsTheyAre) {
    for (const bool as_float : {false, true}) {
        KernelRun run(
            kernel("mov.u32 %r10, 1;\ntex.1d.v4.u32.s32 {%r11, %r12, %r13, %r14}, [%rd1, {%r10}];\n"
                   "st.global.v4.u32 [%rd0], {%r11, %r12, %r13, %r14};\n"),
            1
        );
        Texture t = plane(2, 1);
        t.dtype = DType::u8;
        t.channels = 2;
        t.as_float = as_float;
        run.out<uint32_t>("d", 4);
        add_image(run, t, std::vector<uint8_t>{1, 2, 51, 255}).go();
        const auto d = run.get<uint32_t>("d");
        if (as_float) {
            EXPECT_EQ(std::bit_cast<float>(d[0]), 0.2f);
            EXPECT_EQ(std::bit_cast<float>(d[1]), 1.0f);
        } else {
            EXPECT_EQ(d, (std::vector<uint32_t>{51, 255, 0, 0}));
        }
    }
}

TEST(EmulatorTexture, LayersAndVolumesAreSlices) {
    KernelRun run(
        kernel("mov.f32 %f1, 0f3F800000;\nmov.u32 %r10, 2;\n"
               "tex.a2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%r10, %f1, %f1, %f1}];\n"
               "tex.3d.v4.f32.f32 {%f7, %f8, %f9, %f10}, [%rd2, {%f1, %f1, %f1, %f1}];\n"
               "st.global.v2.f32 [%rd0], {%f3, %f7};\n"),
        1
    );
    run.out<float>("d", 2);
    std::vector<float> texels(2 * 2 * 3);
    for (size_t k = 0; k < texels.size(); ++k) texels[k] = static_cast<float>(k);
    Texture t = plane(2, 2);
    t.layers = 3;
    add_image(run, t, texels);
    t.layers = 0;
    t.extent[2] = 3;
    add_image(run, t, texels).go();
    EXPECT_EQ(run.get<float>("d"), (std::vector<float>{11, 7}));
}

TEST(EmulatorTexture, GatherTakesTheFourTexelsOfABilinearSample) {
    KernelRun run(
        kernel("mov.f32 %f1, 0f40000000;\ntld4.r.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f1}];\n"
               "st.global.v4.f32 [%rd0], {%f3, %f4, %f5, %f6};\n"),
        1
    );
    run.out<float>("d", 4);
    add_image(run, plane(4, 4), position_coded(4, 4)).go();
    EXPECT_EQ(run.get<float>("d"), (std::vector<float>{21, 22, 12, 11}));
}

TEST(EmulatorTexture, ATexrefVariableIsTheTextureOfItsName) {
    KernelRun run(
        kernel(
            "mov.u32 %r10, 3;\ntex.1d.v4.f32.s32 {%f3, %f4, %f5, %f6}, [image, {%r10}];\n"
            "st.global.f32 [%rd0], %f3;\n",
            ".global .texref image;\n"
        ),
        1
    );
    run.out<float>("d", 1);
    add_image(run, plane(4, 1), position_coded(4, 1)).go();
    EXPECT_EQ(run.get<float>("d")[0], 3);
}

// Each thread stores its number at x = 4 (thread - 1), outside on either side for the first and the last.
std::string storing(const std::string& outside) {
    return kernel(
        "add.s32 %r10, %r0, -1;\nshl.b32 %r10, %r10, 2;\nmov.u32 %r11, 1;\nsust.b.2d.b32." + outside +
        " [%rd0, {%r10, %r11}], {%r0};\nsuld.b.2d.b32." + outside + " {%r12}, [%rd0, {%r10, %r11}];\n" +
        store(1, "u32", 4, "%r12")
    );
}

TEST(EmulatorTexture, SurfacesTrapClampOrIgnoreWhatLiesOutside) {
    for (const std::string outside : {"trap", "clamp", "zero"}) {
        KernelRun run(storing(outside), 6);
        Texture t = plane(4, 2);
        t.dtype = DType::u32;
        add_image(run, t, std::vector<uint32_t>(8, 7)).template out<uint32_t>("d", 6).go();
        const auto surface = run.get<uint32_t>("image"), d = run.get<uint32_t>("d");
        const auto found = run.incidents(Incident::Kind::out_of_bounds);
        EXPECT_EQ(surface[0], 7u) << "the other row";
        EXPECT_EQ(surface[5], 2u);
        EXPECT_EQ(found.size(), outside == "trap" ? 2u : 0u);
        if (outside == "clamp") {
            EXPECT_EQ(surface[7], 5u) << "the last thread's number, at the last element";
            EXPECT_EQ(d[0], surface[4]);
        } else {
            EXPECT_EQ(surface[7], 4u);
            EXPECT_EQ(d[0], 0u);
        }
    }
}

TEST(EmulatorTexture, AHandleOfNothingIsFound) {
    KernelRun run(sampling(), 1);
    run.out<float>("d", 1).in("x", std::vector<float>{0}).in("y", std::vector<float>{0}).add(12345).go();
    const auto found = run.incidents(Incident::Kind::out_of_bounds);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NE(found[0].detail.find("0x3039 is the handle of no texture"), std::string::npos);
}

TEST(EmulatorTexture, SurfacesRaceAsGlobalMemoryDoes) {
    const auto races = [](uint32_t threads, const std::string& between) {
        KernelRun run(
            kernel(
                "mov.u32 %r11, 0;\nshl.b32 %r10, %r0, 2;\nsust.b.2d.b32.trap [%rd0, {%r10, %r11}], {%r0};\n" +
                between + "sub.s32 %r13, " + std::to_string(4 * (threads - 1)) +
                ", %r10;\nsuld.b.2d.b32.trap {%r12}, [%rd0, {%r13, %r11}];\n" + store(1, "u32", 4, "%r12")
            ),
            threads
        );
        Texture t = plane(threads, 1);
        t.dtype = DType::u32;
        add_image(run, t, std::vector<uint32_t>(threads, 7)).template out<uint32_t>("d", threads).go();
        return run.incidents(Incident::Kind::race_global);
    };
    const auto warps = races(64, "");
    ASSERT_FALSE(warps.empty());
    EXPECT_EQ(warps[0].first.memory, "global image");
    EXPECT_TRUE(races(64, "bar.sync 0;\n").empty());
    EXPECT_EQ(races(32, "").size(), 1u) << "lanes of one warp";
    EXPECT_TRUE(races(32, "bar.warp.sync -1;\n").empty());
}

}  // namespace
}  // namespace wl::emulator::test
