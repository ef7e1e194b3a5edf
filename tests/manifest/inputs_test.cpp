// What arrays hold before the kernel starts: statistics, exact codes, files, and independence of the streams.
#include "instrumentation/base/error.h"
#include "instrumentation/manifest/fill.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/manifest/npy.h"
#include "instrumentation/manifest/python.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;

Tensor make(const std::string& name, DType dtype, std::vector<int64_t> shape) {
    Tensor t{name, dtype, std::move(shape), {}};
    t.bytes.resize(static_cast<size_t>(elements(t.shape)) * size_of(dtype));
    return t;
}

Tensor filled(
    const std::string& fill,
    DType dtype,
    std::vector<int64_t> shape,
    uint64_t seed = 0,
    const std::string& name = "A"
) {
    Tensor t = make(name, dtype, std::move(shape));
    const Fill parsed = parse_fill(fill, "test");
    std::vector<double> parameters;
    for (const std::string& p : parsed.parameters) parameters.push_back(evaluate(p, {}, "test"));
    fill_tensor(t, parsed, parameters, seed);
    return t;
}

struct Moments {
    double mean = 0, deviation = 0, skew = 0, kurtosis = 0,
           neighbour = 0;  // neighbour: correlation of i and i+1
};

Moments moments(const Tensor& t) {
    const int64_t n = elements(t.shape);
    Moments m;
    for (int64_t i = 0; i < n; ++i) m.mean += at(t, i) / static_cast<double>(n);
    double sums[3] = {}, neighbour = 0;
    for (int64_t i = 0; i < n; ++i) {
        const double d = at(t, i) - m.mean;
        sums[0] += d * d;
        sums[1] += d * d * d;
        sums[2] += d * d * d * d;
        if (i > 0) neighbour += d * (at(t, i - 1) - m.mean);
    }
    m.deviation = std::sqrt(sums[0] / static_cast<double>(n));
    m.skew = sums[1] / static_cast<double>(n) / std::pow(m.deviation, 3);
    m.kurtosis = sums[2] / static_cast<double>(n) / std::pow(m.deviation, 4);
    m.neighbour = neighbour / sums[0];
    return m;
}

// ---- noise. Limits are five standard errors at n = 2^18: 1/sqrt(n) for the mean, 1/sqrt(2n) for the
// deviation, sqrt(6/n) for skewness, sqrt(24/n) for kurtosis, 1/sqrt(n) for a correlation.

TEST(Inputs, NormalHasTheMomentsOfANormal) {
    const double n = 1 << 18;
    const Moments m = moments(filled("normal", DType::f32, {512, 512}));
    EXPECT_LT(std::abs(m.mean), 5 / std::sqrt(n));
    EXPECT_LT(std::abs(m.deviation - 1), 5 / std::sqrt(2 * n));
    EXPECT_LT(std::abs(m.skew), 5 * std::sqrt(6 / n));
    EXPECT_LT(std::abs(m.kurtosis - 3), 5 * std::sqrt(24 / n));
    EXPECT_LT(std::abs(m.neighbour), 5 / std::sqrt(n));
    const Moments shifted = moments(filled("normal(3, 0.5)", DType::f32, {512, 512}));
    EXPECT_LT(std::abs(shifted.mean - 3), 0.5 * 5 / std::sqrt(n));
    EXPECT_LT(std::abs(shifted.deviation - 0.5), 0.5 * 5 / std::sqrt(2 * n));
}

TEST(Inputs, RandomBytesTakeEveryValueAlike) {
    const Tensor t = filled("random", DType::s8, {64, 1024});
    std::vector<int> times(256);
    for (const std::byte b : t.bytes) ++times[static_cast<size_t>(b)];
    for (const int n : times) EXPECT_NEAR(n, 256, 6 * 16) << "six deviations of 65536 draws over 256 values";
    EXPECT_EQ(filled("random", DType::f16, {64}).bytes, filled("normal", DType::f16, {64}).bytes);
}

TEST(Inputs, UniformFillsItsIntervalEvenly) {
    const Tensor t = filled("uniform(-2, 6)", DType::f64, {1 << 18});
    const double n = 1 << 18, deviation = 8 / std::sqrt(12.0);
    int64_t eighth[8] = {};
    for (int64_t i = 0; i < elements(t.shape); ++i) {
        ASSERT_GE(at(t, i), -2);
        ASSERT_LT(at(t, i), 6);
        ++eighth[static_cast<int>(at(t, i) + 2)];
    }
    for (const int64_t count : eighth)
        EXPECT_LT(std::abs(static_cast<double>(count) - n / 8), 5 * std::sqrt(n * 7 / 64));
    EXPECT_LT(std::abs(moments(t).mean - 2), 5 * deviation / std::sqrt(n));
    std::set<double> integers;
    const Tensor whole = filled("uniform(-2, 2)", DType::s8, {4096});
    for (int64_t i = 0; i < 4096; ++i) integers.insert(at(whole, i));
    EXPECT_EQ(integers, (std::set<double>{-2, -1, 0, 1, 2})) << "both limits included";
}

std::vector<double> values_of(const Tensor& t) {
    std::vector<double> values;
    for (int64_t i = 0; i < elements(t.shape); ++i) values.push_back(at(t, i));
    return values;
}

TEST(Inputs, IndicesCountOrArePermutedOrBeginRaggedRows) {
    EXPECT_EQ(values_of(filled("arange", DType::s32, {2, 2})), (std::vector<double>{0, 1, 2, 3}));
    EXPECT_EQ(values_of(filled("arange(5, -2)", DType::s64, {3})), (std::vector<double>{5, 3, 1}));
    EXPECT_EQ(values_of(filled("full(-2.5)", DType::f16, {2})), (std::vector<double>{-2.5, -2.5}));
    const std::vector<double> orders = values_of(filled("permutation", DType::s32, {2, 50}));
    for (const int row : {0, 1}) {
        const std::set<double> seen(orders.begin() + 50 * row, orders.begin() + 50 * (row + 1));
        EXPECT_EQ(seen.size(), 50u);
        EXPECT_EQ(*seen.begin(), 0);
        EXPECT_EQ(*seen.rbegin(), 49);
    }
    EXPECT_FALSE(std::equal(orders.begin(), orders.begin() + 50, orders.begin() + 50)) << "anew in each row";
    EXPECT_NE(orders, values_of(filled("permutation", DType::s32, {2, 50}, 1)));
    const std::vector<double> starts = values_of(filled("offsets(1000)", DType::s32, {65}));
    EXPECT_EQ(starts.front(), 0);
    EXPECT_EQ(starts.back(), 1000);
    EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
    EXPECT_GT(std::set<double>(starts.begin(), starts.end()).size(), 50u) << "rows of many lengths";
}

TEST(Inputs, NoiseDependsOnSeedNameAndElementAlone) {
    const Tensor a = filled("normal", DType::f32, {64, 64}, 7);
    EXPECT_EQ(a.bytes, filled("normal", DType::f32, {64, 64}, 7).bytes);
    EXPECT_NE(a.bytes, filled("normal", DType::f32, {64, 64}, 8).bytes);
    EXPECT_NE(a.bytes, filled("normal", DType::f32, {64, 64}, 7, "B").bytes);
    const Tensor longer = filled("normal", DType::f32, {128, 64}, 7);
    EXPECT_EQ(0, std::memcmp(a.bytes.data(), longer.bytes.data(), a.bytes.size()))
        << "a prefix of the larger";
    double product = 0;
    const Tensor b = filled("normal", DType::f32, {64, 64}, 7, "B");
    for (int64_t i = 0; i < 4096; ++i) product += at(a, i) * at(b, i) / 4096;
    EXPECT_LT(std::abs(product), 5.0 / 64) << "two arguments are independent";
}

// The generator is part of the format of a report: a seed in an old bug report must still give the same
// inputs.
TEST(Inputs, TheFirstNumbersOfASeedAreFixed) {
    const Tensor t = filled("uniform(0, 1)", DType::f64, {2}, 0, "Q");
    const auto mixed = [](uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    };
    const uint64_t start = mixed((0xcbf29ce484222325u ^ 'Q') * 0x100000001b3u ^ mixed(0));
    EXPECT_EQ(at(t, 0), static_cast<double>(mixed(start + 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53);
    EXPECT_EQ(at(t, 1), static_cast<double>(mixed(start + 2 * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53);
}

// ---- codes

TEST(Inputs, CoordinatesAreExactAndTellThePosition) {
    for (const DType t :
         {DType::f16,
          DType::bf16,
          DType::f32,
          DType::e4m3,
          DType::e5m2,
          DType::s8,
          DType::u8,
          DType::s16,
          DType::s32,
          DType::f64}) {
        const auto period = static_cast<int64_t>(coordinate_period(t));
        const Tensor codes = filled("coordinates", t, {80, 64});
        for (int64_t i = 0; i < 80 * 64; ++i)
            ASSERT_EQ(at(codes, i), static_cast<double>(i % period)) << name_of(t);
    }
    EXPECT_EQ(coordinate_period(DType::f16), 2048u);
    EXPECT_EQ(coordinate_period(DType::bf16), 256u);
    EXPECT_EQ(coordinate_period(DType::e4m3), 16u);
    EXPECT_EQ(coordinate_period(DType::f32), 1u << 24);
}

TEST(Inputs, ConstantsIdentityAndOneHot) {
    const Tensor ones = filled("ones", DType::bf16, {3}), zeros = filled("zeros", DType::f16, {3});
    const Tensor identity = filled("identity", DType::f16, {2, 3, 4}),
                 hot = filled("one-hot", DType::f16, {256, 8});
    EXPECT_EQ(at(ones, 2), 1);
    EXPECT_EQ(at(zeros, 2), 0);
    for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(at(identity, i), i / 4 % 3 == i % 4 ? 1 : 0) << i;
    std::set<int64_t> columns;
    for (int64_t row = 0; row < 256; ++row) {
        double sum = 0;
        for (int64_t column = 0; column < 8; ++column) {
            sum += at(hot, row * 8 + column);
            if (at(hot, row * 8 + column) == 1) columns.insert(column);
        }
        EXPECT_EQ(sum, 1);
    }
    EXPECT_EQ(columns.size(), 8u) << "every column is drawn";
}

TEST(Inputs, PoisonIsNaNInEveryFloatingPointFormat) {
    for (const DType t :
         {DType::f16, DType::bf16, DType::f32, DType::f64, DType::e4m3, DType::e5m2, DType::tf32}) {
        Tensor tensor = make("C", t, {2});
        poison(tensor);
        EXPECT_TRUE(std::isnan(at(tensor, 1))) << name_of(t);
    }
}

// ---- files

// A kernel with inputs Q (f16, 2x3), N (s32 indices), an output and an output that is read.
struct InputFiles : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("warplens_inputs_" + std::to_string(getpid()));
    Kernel kernel;

    void SetUp() override {
        fs::create_directories(folder);
        std::ofstream(folder / "k.cu") << "";
        std::ofstream(folder / "k.toml") << R"text(args = [
  { name = "Q", dtype = "f16", shape = [2, 3], fill = "normal" },
  { name = "index", dtype = "s32", shape = [4], fill = "zeros" },
  { name = "C", dtype = "f32", shape = [2], output = true },
  { name = "acc", dtype = "f32", shape = [2], fill = "ones", output = true },
]
launch = { grid = [1], block = [1] }
)text";
        kernel = load((folder / "k.toml").string());
    }
    void TearDown() override { fs::remove_all(folder); }
    std::string error_of(const std::string& inputs) {
        try {
            bind(kernel, {{}, "", {}, inputs, 0});
        } catch (const Error& e) { return e.what(); }
        return "no error";
    }
    void write(const std::string& name, const std::string& bytes) {
        std::ofstream(folder / name, std::ios::binary) << bytes;
    }
    std::string path(const std::string& name) { return (folder / name).string(); }
};

TEST_F(InputFiles, AnOutputStartsPoisonedUnlessItHasAFill) {
    const Problem problem = bind(kernel, {});
    EXPECT_TRUE(std::isnan(at(problem.args[2].data, 0)));
    EXPECT_EQ(at(problem.args[3].data, 0), 1);
    EXPECT_FALSE(problem.args[2].filled);
    EXPECT_TRUE(problem.args[3].filled);
}

TEST_F(InputFiles, AKindReplacesDataButNeitherIndicesNorOutputs) {
    const Problem problem = bind(kernel, {{}, "", {}, "coordinates", 0});
    EXPECT_EQ(at(problem.args[0].data, 5), 5);
    EXPECT_EQ(at(problem.args[1].data, 3), 0) << "an index table of 3 would point elsewhere";
    EXPECT_EQ(at(problem.args[3].data, 1), 1);
}

TEST_F(InputFiles, AnNpyIsReadInEitherOrderAndConverted) {
    Tensor codes = make("codes", DType::f64, {2, 3});
    const std::vector<double> values = {0, 1, 2, 10, 11, 12};
    std::memcpy(codes.bytes.data(), values.data(), codes.bytes.size());
    write_npy(path("codes.npy"), codes);
    const Tensor read = read_npy(path("codes.npy"));
    EXPECT_EQ(read.shape, codes.shape);
    EXPECT_EQ(read.bytes, codes.bytes);
    kernel.args[0].fill = "codes.npy";
    EXPECT_EQ(at(bind(kernel, {}).args[0].data, 5), 12);
    std::string header = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }";
    header.resize(117, ' ');
    std::string fortran = std::string("\x93NUMPY\1\0\x76\0", 10) + header + "\n";
    for (const float value : {0.f, 10.f, 1.f, 11.f, 2.f, 12.f})
        fortran.append(reinterpret_cast<const char*>(&value), 4);
    write("fortran.npy", fortran);
    const Tensor transposed = read_npy(path("fortran.npy"));
    for (size_t i = 0; i < values.size(); ++i)
        EXPECT_EQ(at(transposed, static_cast<int64_t>(i)), values[i]) << i;
}

TEST_F(InputFiles, AFileThatIsNotThereIsAnErrorThatSaysWhereItWasLookedFor) {
    kernel.args[0].fill = "row_ptr.npy";
    try {
        bind(kernel, {});
        FAIL() << "there is no such file";
    } catch (const Error& error) {
        const std::string said = error.what();
        EXPECT_NE(
            said.find("there is no file row_ptr.npy in " + path("").substr(0, path("").size() - 1)), said.npos
        ) << said;
        EXPECT_NE(said.find(".fill"), said.npos) << "where in the manifest: " << said;
    }
}

TEST_F(InputFiles, ADamagedNpyIsAnErrorAtEveryLength) {
    const Tensor codes = make("codes", DType::f32, {2, 3});
    write_npy(path("a.npy"), codes);
    std::ifstream file(path("a.npy"), std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    for (size_t n = 0; n < whole.size(); ++n)
        EXPECT_THROW(parse_npy(std::string_view(whole).substr(0, n), "a", "a.npy"), Error) << n;
    EXPECT_THROW(parse_npy(whole + "x", "a", "a.npy"), Error) << "trailing bytes";
    for (const auto& [from, to] : {
             std::pair<std::string, std::string>{"<f4",     ">f4"    },
              {"(2, 3",   "(2, 9"  },
              {"'shape'", "'shope'"}
    }) {
        std::string damaged = whole;
        damaged.replace(damaged.find(from), from.size(), to);
        EXPECT_THROW(parse_npy(damaged, "a", "a.npy"), Error) << to;
    }
}

TEST_F(InputFiles, AnArrayOfAnotherShapeIsNamedWithBoth) {
    EXPECT_EQ(
        error_of(WL_GOLDEN "/attention_b1_h1_s96_d64.npz"),
        "--inputs " WL_GOLDEN
        "/attention_b1_h1_s96_d64.npz: the array \"q\" has the shape (1, 1, 96, 64), the argument Q has (2, "
        "3)."
    );
    kernel.args[0].name = "Z";
    EXPECT_EQ(
        error_of(WL_GOLDEN "/attention_b1_h1_s96_d64.npz"),
        "--inputs " WL_GOLDEN
        "/attention_b1_h1_s96_d64.npz has no array for the argument \"Z\"; it holds q, k, v, m_causal0, "
        "l_causal0, o64_causal0, o_sdpa_flash_causal0, m_causal1, l_causal1, o64_causal1, "
        "o_sdpa_flash_causal1."
    );
    EXPECT_EQ(error_of(path("none.npz")), "cannot read " + path("none.npz") + ": No such file.");
}

TEST_F(InputFiles, ADamagedNpzIsAnError) {
    std::ifstream file(WL_GOLDEN "/attention_b1_h1_s96_d64.npz", std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    write("cut.npz", bytes.substr(0, bytes.size() / 2));
    EXPECT_THROW(read_npz(path("cut.npz")), Error);
    bytes[2000] ^= 0x10;
    write("flipped.npz", bytes);
    EXPECT_THROW(read_npz(path("flipped.npz")), Error) << "the member's CRC";
}

TEST_F(InputFiles, ShippedKernelsTakeTheGoldenInputsByName) {
    BindOptions options;
    options.set = {
        {"B", "1"  },
        {"H", "2"  },
        {"S", "128"},
        {"D", "128"}
    };
    options.inputs = WL_GOLDEN "/attention_b1_h2_s128_d128.npz";
    const Problem problem = bind(load(resolve("v2c_3")), options);
    const std::vector<Tensor> arrays = read_npz(options.inputs);
    ASSERT_EQ(arrays[1].name, "k");
    EXPECT_EQ(problem.args[1].name, "K");
    EXPECT_EQ(problem.args[1].data.bytes, arrays[1].bytes);
}

// Golden outputs agree with FP64 as FP16 allows: what the files are said to hold is what they hold.
TEST(Golden, TheFilesHoldWhatTheirReadmeSays) {
    for (const char* name :
         {"attention_b1_h1_s96_d64", "attention_b1_h2_s128_d64", "attention_b1_h2_s128_d128"}) {
        const std::vector<Tensor> arrays = read_npz(std::string(WL_GOLDEN "/") + name + ".npz");
        ASSERT_EQ(arrays.size(), 11u);
        const auto find = [&](const std::string& wanted) -> const Tensor& {
            for (const Tensor& array : arrays)
                if (array.name == wanted) return array;
            throw Error(wanted);
        };
        EXPECT_EQ(find("q").dtype, DType::f16);
        EXPECT_EQ(find("m_causal0").shape.size(), 3u);
        for (const char* causal : {"0", "1"}) {
            const Tensor& o64 = find(std::string("o64_causal") + causal);
            const Tensor& flash = find(std::string("o_sdpa_flash_causal") + causal);
            ASSERT_EQ(o64.shape, find("q").shape);
            double worst = 0;
            for (int64_t i = 0; i < elements(o64.shape); ++i)
                worst = std::max(worst, std::abs(at(o64, i) - at(flash, i)));
            EXPECT_LT(worst, 2e-3) << name;  // outputs up to 3.3 in FP16: half an ulp is 2^-10
            EXPECT_GT(worst, 0);
        }
    }
}

}  // namespace
}  // namespace wl::manifest
