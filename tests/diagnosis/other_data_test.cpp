// Data of files drawn anew: what stays of them, and what a proof says where nothing else can be drawn.
#include "instrumentation/diagnosis/prove/other_data.h"

#include "tests/support/program.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <vector>

namespace wl::diagnosis {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Tensor tensor_of(const std::string& name, DType dtype, const std::vector<double>& values) {
    Tensor t{name, dtype, {static_cast<int64_t>(values.size())}, {}};
    t.bytes.resize(values.size() * size_of(dtype));
    for (size_t k = 0; k < values.size(); ++k)
        from_double(dtype, values[k], t.bytes.data() + k * size_of(dtype));
    return t;
}

std::vector<double> redrawn(DType dtype, const std::vector<double>& values, const char* fill, bool& any) {
    manifest::Problem p;
    manifest::Argument argument;
    argument.name = "x", argument.dtype = dtype, argument.shape = {"N"}, argument.fill = fill;
    p.kernel.args = {argument};
    manifest::BoundArgument x;
    x.name = "x", x.array = true, x.data = tensor_of("x", dtype, values);
    p.args = {x};
    any = redraw(p, 3);
    std::vector<double> out;
    for (size_t k = 0; k < values.size(); ++k) out.push_back(at(p.args[0].data, static_cast<int64_t>(k)));
    return out;
}

std::vector<double> sorted(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v;
}

TEST(OtherData, WholeNumbersAreTheSameInAnotherOrder) {
    bool any = false;
    const std::vector<double> file = {7, 3, 3, 0, 9, 12, 5, 1}, now = redrawn(DType::s32, file, "x.npy", any);
    EXPECT_TRUE(any);
    EXPECT_NE(now, file);
    EXPECT_EQ(sorted(now), sorted(file));
}

TEST(OtherData, OffsetsOfRowsStayOffsetsOfRows) {
    bool any = false;
    const std::vector<double> file = {0, 1, 5, 5, 9, 20}, now = redrawn(DType::u32, file, "x.npy", any);
    EXPECT_NE(now, file);
    EXPECT_TRUE(std::is_sorted(now.begin(), now.end()));
    EXPECT_EQ(now.front(), 0);
    EXPECT_EQ(now.back(), 20);
}

TEST(OtherData, RealNumbersKeepTheirRangeAndTurnSigns) {
    bool any = false;
    std::vector<double> file;
    for (int k = 0; k < 64; ++k) file.push_back((k % 2 == 0 ? -1 : 1) * (k + 1) / 64.0);
    const std::vector<double> now = redrawn(DType::f32, file, "x.npy", any);
    EXPECT_GE(sorted(now).front(), sorted(file).front());
    EXPECT_LE(sorted(now).back(), sorted(file).back());
    EXPECT_NE(sorted(now), sorted(file)) << "signs, zeros and ties are put in";
    EXPECT_NE(std::find(now.begin(), now.end(), 0.0), now.end());
}

TEST(OtherData, WhatNoFileHoldsIsLeftToTheSeed) {
    bool any = true;
    const std::vector<double> values = {1, 2, 5, 4}, now = redrawn(DType::f32, values, "normal", any);
    EXPECT_FALSE(any);
    EXPECT_EQ(now, values);
}

constexpr const char* kKernel = R"(
extern "C" __global__ void twice(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + 2.0f;
}
)";
constexpr const char* kManifest = R"(args = [
  { name = "x", dtype = "f32", shape = ["N"], fill = "x.npy" },
  { name = "y", dtype = "f32", shape = ["N"], output = true },
  { name = "n", dtype = "s32", value = "N" },
]
[params]
N = 96
[launch]
grid = [3]
block = [32]
[reference]
)";

void write_npy_file(const fs::path& path, const Tensor& t) {
    std::ofstream(path, std::ios::binary) << [&] {
        std::string head =
            "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(t.shape[0]) + ",), }";
        head.resize((head.size() + 11 + 63) / 64 * 64 - 11, ' ');
        head += '\n';
        std::string out = std::string("\x93NUMPY\x01\x00", 8);
        out += static_cast<char>(head.size() & 0xff);
        out += static_cast<char>(head.size() >> 8);
        return out + head + std::string(reinterpret_cast<const char*>(t.bytes.data()), t.bytes.size());
    }();
}

json first_of(const fs::path& folder, const std::string& reference) {
    fs::create_directories(folder);
    std::vector<double> x;
    for (int k = 0; k < 96; ++k) x.push_back(std::sin(k) * 3);
    write_npy_file(folder / "x.npy", tensor_of("x", DType::f32, x));
    std::ofstream(folder / "twice.cu") << kKernel;
    std::ofstream(folder / "twice.toml") << kManifest << reference << "\n";
    std::ofstream(folder / "twice.py")
        << "def reference(inputs, params):\n    return {'y': 2.0 * inputs['x']}\n";
    std::ofstream(folder / "fixed.py")
        << "import numpy as np\ndef reference(inputs, params):\n"
           "    if abs(inputs['x'][0]) > 1e-9: raise ValueError('other data')\n"
           "    return {'y': 2.0 * inputs['x']}\n";
    const test::Said said =
        test::warplens({"diagnose", (folder / "twice.toml").string(), "--search", "300", "--json"});
    return json::parse(said.out, nullptr, false).at("findings")[0];
}

TEST(OtherData, AProofIsOfOtherDataThanTheFiles) {
    const json found = first_of(fs::path(testing::TempDir()) / "other_data", "python = \"twice.py\"");
    EXPECT_EQ(found.at("title"), "`+` should be `*`") << found.dump(1);
    EXPECT_EQ(found.at("evidence_kind"), "counterfactual");
    EXPECT_NE(std::string(found.at("proof")).find("with another seed"), std::string::npos);
}

// Its reference takes the file's data alone.
TEST(OtherData, WithoutOtherDataNothingIsProven) {
    const json found = first_of(fs::path(testing::TempDir()) / "same_data", "python = \"fixed.py\"");
    EXPECT_EQ(found.at("evidence_kind"), "mends") << found.dump(1);
    EXPECT_EQ(found.at("proven"), false);
    EXPECT_NE(
        std::string(found.at("proof")).find("not proven: no other data could be made"), std::string::npos
    );
}

}  // namespace
}  // namespace wl::diagnosis
