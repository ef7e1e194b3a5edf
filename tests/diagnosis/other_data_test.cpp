// Data of files drawn anew: what stays of them, and what a proof says where nothing else can be drawn.
#include "instrumentation/diagnosis/prove/other_data.h"

#include "tests/support/program.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
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
    any = redraw(p, 3, Mix::turned);
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

TEST(OtherData, RealNumbersOfBothSignsMayBeOfOne) {
    manifest::Problem p;
    p.inputs = "x.npz";
    manifest::BoundArgument x;
    std::vector<double> file;
    for (int k = 0; k < 256; ++k) file.push_back((k % 2 == 0 ? -1 : 2) * (k + 1) / 64.0);
    x.array = true, x.data = tensor_of("x", DType::f32, file);
    p.args = {x};
    for (const auto& [mix, sign] :
         {std::pair(Mix::none_positive, -1.0), std::pair(Mix::none_negative, 1.0)}) {
        manifest::Problem now = p;
        ASSERT_TRUE(redraw(now, 5, mix));
        int zeros = 0, negative_zeros = 0;
        for (int64_t k = 0; k < 256; ++k) {
            const double v = at(now.args[0].data, k);
            EXPECT_GE(sign * v, 0) << v;
            zeros += v == 0 ? 1 : 0, negative_zeros += v == 0 && std::signbit(v) ? 1 : 0;
        }
        EXPECT_GT(zeros, 0);
        EXPECT_EQ(negative_zeros > 0, sign < 0);
    }
}

// Of rows that are sorted, as columns of a sparse matrix, each stays sorted; of rows that are permutations
// each stays one.
TEST(OtherData, RowsKeepTheirOrderAndTheirElements) {
    manifest::Problem p;
    p.inputs = "x.npz";
    manifest::BoundArgument x;
    x.array = true, x.data = tensor_of("x", DType::s32, {0, 2, 9, 10, 1, 3, 4, 20, 2, 5, 6, 7});
    x.data.shape = {3, 4};
    p.args = {x, x};
    p.args[1].data = tensor_of("y", DType::s32, {3, 0, 2, 1, 1, 2, 0, 3, 0, 2, 1, 3});
    p.args[1].data.shape = {3, 4};
    ASSERT_TRUE(redraw(p, 5, Mix::turned));
    EXPECT_NE(p.args[0].data.bytes, x.data.bytes);
    for (int64_t row = 0; row < 12; row += 4) {
        std::vector<double> a, b;
        for (int64_t k = row; k < row + 4; ++k)
            a.push_back(at(p.args[0].data, k)), b.push_back(at(p.args[1].data, k));
        EXPECT_TRUE(std::is_sorted(a.begin(), a.end())) << row;
        EXPECT_EQ(sorted(b), (std::vector<double>{0, 1, 2, 3})) << row;
    }
}

// Of arrays of keys some are in several: which, is drawn anew, and they are others.
TEST(OtherData, KeysAreDealtAnew) {
    manifest::Problem p;
    p.inputs = "x.npz";
    manifest::BoundArgument x;
    x.array = true, x.data = tensor_of("x", DType::u32, {900, 17, 40000, 3, 123456, 77});
    p.args = {x, x};
    p.args[1].data = tensor_of("y", DType::u32, {17, 3, 5000, 600, 123456, 800000});
    std::vector<size_t> shared;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        manifest::Problem now = p;
        ASSERT_TRUE(redraw(now, seed, Mix::turned));
        std::set<double> a, b;
        for (int64_t k = 0; k < 6; ++k) a.insert(at(now.args[0].data, k)), b.insert(at(now.args[1].data, k));
        EXPECT_EQ(a.size(), 6u);
        EXPECT_EQ(b.size(), 6u);
        EXPECT_GE(*a.begin(), 3);
        EXPECT_LE(*a.rbegin(), 800000);
        const size_t before = b.size();
        for (const double v : a) b.erase(v);
        shared.push_back(before - b.size());
    }
    EXPECT_GT(*std::max_element(shared.begin(), shared.end()), 0u);
    EXPECT_NE(
        *std::min_element(shared.begin(), shared.end()), *std::max_element(shared.begin(), shared.end())
    );
}

TEST(OtherData, ConstantRealNumbersBecomeOthersAroundThem) {
    bool any = false;
    const std::vector<double> now = redrawn(DType::f32, std::vector<double>(32, 2.0), "full(2)", any);
    EXPECT_TRUE(any);
    EXPECT_GE(sorted(now).front(), 1.0);
    EXPECT_LE(sorted(now).back(), 3.0);
    EXPECT_LT(sorted(now).front(), sorted(now).back());
    const std::vector<double> whole = redrawn(DType::s32, std::vector<double>(32, 2.0), "full(2)", any);
    EXPECT_FALSE(any);
    EXPECT_EQ(whole, std::vector<double>(32, 2.0));
}

TEST(OtherData, LargerValuesAreOfRealNumbersThatMeanNoPlaces) {
    manifest::Problem p;
    manifest::BoundArgument x;
    x.array = true;
    for (const auto& values : {
             std::vector<double>{0.5, -1.25, 3.5, 2.5},
             {3,   1,     2,   0  },
             {0.5, 1.5,   2.5, 3.5}
    })
        x.data = tensor_of("x", DType::f32, values), p.args.push_back(x);
    ASSERT_TRUE(enlarge(p, 2));
    EXPECT_EQ(at(p.args[0].data, 1), -20);
    EXPECT_EQ(at(p.args[1].data, 0), 3) << "whole";
    EXPECT_EQ(at(p.args[2].data, 0), 0.5) << "sorted";
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
python = "kernel.py"
)";

// The manifest with one more input of a file, after those that it has.
std::string with_array(std::string manifest, const std::string& name, const std::string& shape) {
    const std::string row = R"(  { name = ")" + name + R"(", dtype = "f32", shape = [")" + shape +
        R"("], fill = ")" + name + ".npy\" },\n";
    return manifest.insert(manifest.find("  { name = \"y\""), row);
}

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

std::vector<double> swinging() {
    std::vector<double> x;
    for (int k = 0; k < 96; ++k) x.push_back(std::sin(k) * 3);
    return x;
}

// A kernel of `x` and `y`, diagnosed on data of a file.
json first_of(
    const fs::path& folder,
    const char* kernel,
    const std::vector<double>& x,
    const std::string& reference,
    const std::vector<std::string>& more = {"--search", "300"},
    const std::string& manifest = kManifest
) {
    fs::create_directories(folder);
    write_npy_file(folder / "x.npy", tensor_of("x", DType::f32, x));
    std::ofstream(folder / "kernel.cu") << kernel;
    std::ofstream(folder / "kernel.toml") << manifest;
    std::ofstream(folder / "kernel.py") << "import numpy as np\ndef reference(inputs, params):\n"
                                        << reference;
    std::vector<std::string> words = {"diagnose", (folder / "kernel.toml").string(), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(test::warplens(words).out, nullptr, false).at("findings")[0];
}

constexpr const char* kTwice = "    return {'y': 2.0 * inputs['x']}\n";

TEST(OtherData, AProofIsOfOtherDataThanTheFiles) {
    const json found = first_of(fs::path(testing::TempDir()) / "other_data", kKernel, swinging(), kTwice);
    EXPECT_EQ(found.at("title"), "`+` should be `*`") << found.dump(1);
    EXPECT_EQ(found.at("evidence_kind"), "proven");
    EXPECT_NE(std::string(found.at("proof")).find("with 6 other seeds"), std::string::npos);
    EXPECT_EQ(found.at("evidence").at("draws"), 7);
    EXPECT_EQ(found.at("evidence").at("blocks"), 3);
    EXPECT_EQ(found.at("evidence").at("schedules"), 9);
}

// Its reference takes the file's data alone.
TEST(OtherData, WithoutOtherDataNothingIsProven) {
    const json found = first_of(
        fs::path(testing::TempDir()) / "same_data",
        kKernel,
        swinging(),
        std::string("    if abs(inputs['x'][0]) > 1e-9: raise ValueError('other data')\n") + kTwice
    );
    EXPECT_EQ(found.at("evidence_kind"), "mends") << found.dump(1);
    EXPECT_EQ(found.at("proven"), false);
    EXPECT_NE(
        std::string(found.at("proof")).find("not proven: no other data could be made"), std::string::npos
    );
    EXPECT_EQ(found.at("evidence").at("draws"), 1);
}

// A zero of the file may be a negative one, where it has negative numbers.
TEST(OtherData, ZerosHaveEitherSignWhereNumbersDo) {
    bool any = false;
    const auto negative_zeros = [](const std::vector<double>& v) {
        return std::count_if(v.begin(), v.end(), [](double x) { return x == 0 && std::signbit(x); });
    };
    std::vector<double> x = swinging();
    x.front() = 1;  // no zero
    EXPECT_GT(negative_zeros(redrawn(DType::f32, x, "x.npy", any)), 0);
    for (double& v : x) v = std::fabs(v);
    EXPECT_EQ(negative_zeros(redrawn(DType::f32, x, "x.npy", any)), 0);
}

TEST(OtherData, ASignThatIsToldByBitsAloneIsNoProof) {
    constexpr const char* kSigns = R"(
extern "C" __global__ void signs(const float* x, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float_as_int(x[i]) > 0 ? 1.0f : -1.0f;
}
)";
    std::vector<double> x = swinging();
    for (size_t k = 0; k < x.size(); k += 7) x[k] = 0;
    const auto first = [&](const char* idea) {
        return first_of(
            fs::path(testing::TempDir()) / "signs",
            kSigns,
            x,
            "    return {'y': np.where(inputs['x'] >= 0, 1.0, -1.0)}\n",
            {"--search", "0", "--try", idea}
        );
    };
    const json bits = first("4: > -> >=");
    EXPECT_NE(std::string(bits.at("explanation")).find(" with another seed "), std::string::npos)
        << bits.dump(1);
    const json right = first("4: __float_as_int(x[i]) > 0 -> x[i] >= 0.0f");
    EXPECT_EQ(right.at("proven"), true) << right.dump(1);
}

// `most` is made of `x`, and the reference of `x` alone: neither is drawn without the other.
constexpr const char* kRelated = R"(
extern "C" __global__ void related(const float* x, const float* most, const float* scale, float* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = most[i / 8] > 2.5f ? x[i] + scale[i] : 0.0f;
}
)";

TEST(OtherData, WhatBelongsTogetherIsNotDrawnApart) {
    const fs::path folder = fs::path(testing::TempDir()) / "related";
    fs::create_directories(folder);
    const std::vector<double> x = swinging(), scale(x.size(), 2.0);
    std::vector<double> most;
    for (size_t k = 0; k < x.size(); k += 8)
        most.push_back(
            *std::max_element(x.begin() + static_cast<long>(k), x.begin() + static_cast<long>(k) + 8)
        );
    write_npy_file(folder / "x.npy", tensor_of("x", DType::f32, x));
    write_npy_file(folder / "most.npy", tensor_of("most", DType::f32, most));
    write_npy_file(folder / "scale.npy", tensor_of("scale", DType::f32, scale));
    std::ofstream(folder / "kernel.cu") << kRelated;
    std::ofstream(folder / "kernel.toml") << with_array(with_array(kManifest, "most", "N / 8"), "scale", "N");
    std::ofstream(folder / "kernel.py") << "import numpy as np\ndef reference(inputs, params):\n"
                                           "    x = inputs['x']\n"
                                           "    large = np.repeat(x.reshape(-1, 8).max(axis=1), 8) > 2.5\n"
                                           "    return {'y': np.where(large, x * inputs['scale'], 0)}\n";
    const auto first = [&](const char* idea) {
        const std::string said =
            test::warplens(
                {"diagnose", (folder / "kernel.toml").string(), "--json", "--search", "0", "--try", idea}
            )
                .out;
        return json::parse(said, nullptr, false).at("findings")[0];
    };
    const json right = first("4: x[i] + scale[i] -> x[i] * scale[i]");
    EXPECT_EQ(right.at("evidence_kind"), "proven") << right.dump(1);
    EXPECT_NE(std::string(right.at("proof")).find("(x and most stay as given)"), std::string::npos)
        << right.dump(1);
    const json fits = first("4: x[i] + scale[i] -> x[i] * 2.0f");
    EXPECT_NE(std::string(fits.at("explanation")).find("with another seed"), std::string::npos)
        << fits.dump(1);
}

// `most` alone is none of the reference's, and `x` is not drawn without it.
TEST(OtherData, WhereNoneIsDrawnWithoutAnotherAChangeOnlyMends) {
    std::string kernel = kKernel;
    kernel.replace(kernel.find("float* y"), 0, "const float* x2, ");
    kernel.replace(kernel.find("x[i] + "), 4, "x2[i]");
    const fs::path folder = fs::path(testing::TempDir()) / "made";
    fs::create_directories(folder);
    write_npy_file(folder / "x2.npy", tensor_of("x2", DType::f32, swinging()));
    const json found = first_of(
        folder, kernel.c_str(), swinging(), kTwice, {"--search", "300"}, with_array(kManifest, "x2", "N")
    );
    EXPECT_EQ(found.at("evidence_kind"), "mends") << found.dump(1);
    EXPECT_NE(std::string(found.at("proof")).find("x2 stays as given"), std::string::npos) << found.dump(1);
}

// Numbers as padding are larger than what they are sorted among, and not larger than all that could be.
TEST(OtherData, AValueThatFitsTheRangeOfTheInputsAloneIsNotProven) {
    const std::string kernel = test::source_path("tests/kernels/gallery/orders/bitonic_sort.toml");
    const auto first = [&](std::vector<std::string> more) {
        std::vector<std::string> words = {"diagnose", kernel, "--fault", "pad", "--json"};
        words.insert(words.end(), more.begin(), more.end());
        return json::parse(test::warplens(words).out, nullptr, false).at("findings")[0];
    };
    const json wrong = first({"--search", "0", "--try", "18: 0.0f -> i"});
    EXPECT_EQ(wrong.at("evidence_kind"), "mends") << wrong.dump(1);
    EXPECT_NE(std::string(wrong.at("proof")).find("with values 16 times as large"), std::string::npos);
    const json right = first({"--try", "18: 0.0f -> CUDART_INF_F"});
    EXPECT_EQ(right.at("evidence_kind"), "proven") << right.dump(1);
}

}  // namespace
}  // namespace wl::diagnosis
