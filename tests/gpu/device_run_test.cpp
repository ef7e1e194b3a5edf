// The program above a driver whose device is emulated: textures, surfaces, and a benchmark, whose times mean
// nothing there.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

const std::vector<std::string> kDevice = {"LD_LIBRARY_PATH=" WL_DRIVER_FOLDER};

// Each texel of `out` is the image between its four neighbours, of which the pitched one gives the last
// column's.
const char* const kSource = R"(extern "C" __global__ void between(
    cudaTextureObject_t image, cudaTextureObject_t pitched, cudaSurfaceObject_t out, float* sums, int width, int height
) {
    const int x = threadIdx.x, y = threadIdx.y;
    if (x >= width || y >= height) return;
    const float mean = tex2D<float>(image, x + 1.0f, y + 1.0f);
    surf2Dwrite(mean, out, x * 4, y);
    sums[y * width + x] = mean + tex2D<float>(pitched, x + 0.5f, y + 0.5f);
}
)";
const char* const kManifest = R"(args = [
  { name = "image", dtype = "f32", shape = [5, 7], fill = "coordinates", texture = { filter = "linear" } },
  { name = "pitched", dtype = "u8", shape = [5, 32], fill = "coordinates", texture = { width = 7, numbers = true } },
  { name = "out", dtype = "f32", shape = [5, 7], output = true, surface = {} },
  { name = "sums", dtype = "f32", shape = [5, 7], output = true },
  { name = "width", dtype = "s32", value = 7 },
  { name = "height", dtype = "s32", value = 5 },
]
[launch]
grid = [1]
block = [8, 8]
)";

TEST(DeviceRun, TexturesAndSurfacesAreThoseOfTheEmulator) {
    const TemporaryFolder folder;
    write_file(folder.path + "/between.cu", kSource);
    write_file(folder.path + "/between.toml", kManifest);
    const Said said = warplens(
        {"run", folder.path + "/between.toml", "--on", "both", "--json", "-o", folder.path + "/x.wlcap"},
        kDevice
    );
    ASSERT_EQ(said.status, 3) << said.err;  // no reference: incomplete
    const auto witnesses = nlohmann::json::parse(said.out).at("witnesses");
    EXPECT_TRUE(witnesses.at("agree"));
    EXPECT_EQ(witnesses.at("fault"), "");
    ASSERT_EQ(witnesses.at("each").size(), 2u);
    for (const auto& output : witnesses.at("each")) {
        EXPECT_EQ(output.at("elements"), 35) << output;
        EXPECT_EQ(output.at("equal"), 35) << output;
    }
}

TEST(DeviceRun, AHandleThatTheKernelOnlyPassesOnIsUnsupported) {
    const TemporaryFolder folder;
    write_file(
        folder.path + "/width.cu", R"(extern "C" __global__ void width(cudaTextureObject_t image, int* out) {
    int w;
    asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(image));
    out[threadIdx.x] = w;
}
)"
    );
    write_file(folder.path + "/width.toml", R"(args = [
  { name = "image", dtype = "f32", shape = [5, 7], fill = "coordinates", texture = {} },
  { name = "out", dtype = "s32", shape = [32], output = true },
]
[launch]
grid = [1]
block = [32]
)");
    const Said said = warplens({"run", folder.path + "/width.toml", "--on", "gpu"}, kDevice);
    EXPECT_EQ(said.status, 3);
    EXPECT_NE(
        said.err.find(
            "unsupported: image on a GPU: the kernel itself does not say whether its handle is a texture's"
        ),
        std::string::npos
    ) << said.out
      << said.err;
}

TEST(DeviceRun, ABenchmarkSaysWhatTheDeviceDoesAtMost) {
    const Said said = warplens(
        {"bench",
         "v2c_9",
         "--set",
         "B=1",
         "--set",
         "H=1",
         "--set",
         "S=64",
         "--samples",
         "2",
         "--launches",
         "1",
         "--observed",
         "--flops",
         "4*B*H*S*S*D",
         "--json"},
        kDevice
    );
    ASSERT_EQ(said.status, 0) << said.err;
    const auto timing = nlohmann::json::parse(said.out).at("timing");
    EXPECT_GT(timing.at("fma_rate"), 0.0);
    EXPECT_GT(timing.at("mma_rate"), 0.0);
    EXPECT_TRUE(timing.at("matrices"));
    EXPECT_EQ(timing.at("flops"), 4.0 * 64 * 64 * 64);
    // One iteration of one block: four warps dump seven fragments, 124 registers of 32 lanes and the heads.
    EXPECT_EQ(timing.at("observed").at("bytes"), 4 * (7 * 128 + (32 + 32 + 2 + 16 + 2 + 2 + 32) * 128));
    EXPECT_EQ(timing.at("observed").at("dropped"), 0);
}

}  // namespace
}  // namespace wl::test
