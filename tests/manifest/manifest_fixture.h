// A folder with a small GEMM's manifest, made the current folder, for the tests of reading and binding.
#pragma once

#include "instrumentation/base/error.h"
#include "instrumentation/manifest/manifest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace wl::manifest {

inline const char* const kGemm = R"text(title = "Tiled GEMM"
args = [
  { name = "A", dtype = "f16", shape = ["M", "K"], fill = "normal" },
  { name = "C", dtype = "f32", shape = ["M", "N"], output = true },
  { name = "alpha", dtype = "f32", value = 1.5 },
]
[params]
M = 100
N = "M - 4"
K = 64
TILE = 32
[presets.large]
M = 4096
[define]
TILE = "TILE"
SCALE = "1 / sqrt(K)"
ONE = 1.0
[launch]
grid = ["ceil_div(N, TILE)", "ceil_div(M, TILE)"]
block = ["TILE", 8]
shared = "2 * TILE * (TILE + 1) * 4"
[output.C]
terms = "K"
[tile.S]
of = "scores"
at = ["block.z", "block.y + warp", "block.x * M", "iteration * N"]
[fault.32x]
about = "sums 32 times"
[fault.no-sync]
about = "no barrier"
)text";

// A folder with gemm.cu and a manifest; messages name files relative to it, as it is the current folder.
struct ManifestFolder : testing::Test {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("warplens_manifest_" + std::to_string(getpid()));
    std::filesystem::path before = std::filesystem::current_path();

    void SetUp() override {
        std::filesystem::create_directories(folder / "kernels");
        std::filesystem::current_path(folder);
        write("gemm.cu", "");
        write("gemm.toml", kGemm);
    }
    void TearDown() override {
        unsetenv("WARPLENS_KERNELS");
        std::filesystem::current_path(before);
        std::filesystem::remove_all(folder);
    }
    void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }

    Kernel loaded(const std::string& text) {
        write("gemm.toml", text);
        return load("gemm.toml");
    }
    std::string edited(const std::string& from, const std::string& to) {
        std::string text = kGemm;
        EXPECT_NE(text.find(from), std::string::npos) << from;
        return text.replace(text.find(from), from.size(), to);
    }
    std::string load_error(const std::string& from, const std::string& to) {
        try {
            loaded(edited(from, to));
        } catch (const Error& e) { return e.what(); }
        return "no error";
    }
    std::string bind_error(const std::string& from, const std::string& to, const BindOptions& options = {}) {
        const Kernel kernel = loaded(edited(from, to));
        try {
            bind(kernel, options);
        } catch (const Error& e) { return e.what(); }
        return "no error";
    }
    std::string option_error(const BindOptions& options) { return bind_error("M = 100", "M = 100", options); }
};

}  // namespace wl::manifest
