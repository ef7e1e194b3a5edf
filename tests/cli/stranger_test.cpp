// Sources as strangers write them: host code, headers, launches, templates, and what is said of those that
// nothing here can compile.
#include "tests/support/program.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace wl::test {
namespace {

using nlohmann::json;

const std::vector<std::string> kNvrtcAlone = {"WARPLENS_NVCC=none", "WARPLENS_CLANG=none"};

// Lines 1 to 6 are the headers, the template begins at 8.
const char* const kProgram = R"(#include <cassert>
#include <cstdio>
#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <vector>
#include <warplens.cuh>
template <int N, class T>
__global__ void reduce(const T* in, T* out) {
    __shared__ T s[N];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    WL_TILE("s", s, 1, N, N);
    T sum = T(0);
    for (int i = 0; i < N; ++i) sum += s[i];
    out[threadIdx.x] = sum;
}
__global__ void fill(float* x) { x[threadIdx.x] = INFINITY; }
__global__ void fill(int32_t* x, int n) { if ((int)threadIdx.x < n) x[threadIdx.x] = 1; }
int main() {
    std::vector<float> host(64, FLT_MAX);
    float *in, *out;
    cudaMalloc(&in, 64 * sizeof(float));
    cudaMalloc(&out, 64 * sizeof(float));
    reduce<64><<<1, 64>>>(in, out);
    fill<<<1, 64>>>(out);
    cudaMemcpy(host.data(), out, 64 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%f\n", host[0]);
}
)";

const char* const kPlainC = R"(#include <assert.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>
__global__ void mix(const float* x, uint8_t* flags, int64_t* counts) {
    const int i = threadIdx.x;
    static_assert(std::is_same<int32_t, int>::value, "");
    assert(i < 64);
    const float worst = std::max(x[i], -FLT_MAX);
    flags[i] = isnan(worst) || worst == INFINITY || worst == (float)NAN || std::fabs(worst) > float(M_PI);
    counts[i] = std::numeric_limits<int>::max() - INT_MAX;
    if (i > 64) printf("%d\n", i);
}
)";

struct Stranger : testing::Test {
    TemporaryFolder folder;
    std::string file(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(folder.path + "/" + name).parent_path());
        write_file(folder.path + "/" + name, text);
        return folder.path + "/" + name;
    }
};

void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << "missing: " << word << "\nin: " << text;
}

TEST_F(Stranger, AWholeProgramIsTakenAsItIs) {
    const Said said = warplens({"check", file("program.cu", kProgram)});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    expect_words(
        said.out,
        {"by nvcc", "reduce<64, float>(", "fill(float*)", "fill(int*, int)", "3 of 3 entries can run"}
    );
}

TEST(StrangerHeaders, InfinityNeedsNone) {
    const TemporaryFolder folder;
    const std::string source = folder.path + "/largest.cu";
    write_file(source, R"(__constant__ float start = -INFINITY;
__global__ void largest(const float* x, float* y, int n) {
    constexpr float nothing = NAN;
    float best = start;
    for (int i = 0; i < n; ++i) best = fmaxf(best, x[i]);
    y[0] = best > -HUGE_VALF ? best : nothing;
}
)");
    const Said said = warplens({"check", source}, kNvrtcAlone);
    EXPECT_EQ(said.status, 0) << said.err;
}

TEST_F(Stranger, ThrustAndCubAreThere) {
    const char* const text =
        "#include <cub/block/block_reduce.cuh>\n#include <thrust/device_vector.h>\n"
        "__global__ void sum(const float* in, float* out) {\n"
        "    __shared__ cub::BlockReduce<float, 64>::TempStorage s;\n"
        "    const float all = cub::BlockReduce<float, 64>(s).Sum(in[threadIdx.x]);\n"
        "    if (threadIdx.x == 0) *out = all;\n}\n"
        "float first(thrust::device_vector<float>& v) { return v[0]; }\n";
    expect_words(
        warplens({"check", file("sum.cu", text), "--entry", "sum"}).out, {"ok", "sum(float const*, float*)"}
    );
}

TEST_F(Stranger, InstancesAndOverloadsAreNamedAsInTheSource) {
    const std::string path = file("program.cu", kProgram);
    const Said instance = warplens({"check", path, "--entry", "reduce<128, int>"});
    EXPECT_EQ(instance.status, 0) << instance.err;
    expect_words(instance.out, {"reduce<128, int>(int const*, int*)", "1 of 1 entry"});
    const Said overload = warplens({"check", path, "--entry", "fill(int*, int)"});
    expect_words(overload.out, {"fill(int*, int)", "1 of 1 entry"});
    expect_words(warplens({"check", path, "--entry", "fill"}).out, {"2 of 2 entries"});
}

TEST_F(Stranger, HeadersOfCNeedNoOtherCompiler) {
    const Said said = warplens({"check", file("mix.cu", kPlainC)}, kNvrtcAlone);
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_EQ(said.out.find("by nvcc"), std::string::npos) << said.out;
}

TEST_F(Stranger, WithoutACompilerForItHostCodeIsNamedLineByLine) {
    const Said said = warplens({"check", file("program.cu", kProgram)}, kNvrtcAlone);
    EXPECT_EQ(said.status, 2);
    expect_words(
        said.err,
        {"holds code of the host, which NVRTC does not take, and neither nvcc nor clang is here",
         "program.cu:6: <vector> is of the host's C++ library",
         "program.cu:20: main is code of the host",
         "program.cu:23: cudaMalloc is of the host's CUDA runtime",
         "program.cu:25: <<<...>>> is a launch by the host",
         "WARPLENS_NVCC"}
    );
}

TEST_F(Stranger, AMistakeInAProgramIsShownAtItsLine) {
    std::string text = kProgram;
    text.replace(text.find("T sum = T(0)"), 12, "T sum = zero");
    const Said said = warplens({"check", file("program.cu", text)});
    EXPECT_EQ(said.status, 2);
    expect_words(said.err, {"program.cu:14: error: identifier \"zero\" is undefined"});
}

TEST_F(Stranger, AHeaderThatNobodyNamedIsFoundNearTheSource) {
    file("project/Common/helper.cuh", "#define TWICE(x) ((x) * 2)\n");
    const std::string path = file(
        "project/samples/one/scale.cu",
        "#include <helper.cuh>\n__global__ void scale(float* x) { x[threadIdx.x] = TWICE(x[threadIdx.x]); }\n"
    );
    const Said said = warplens({"check", path});
    EXPECT_EQ(said.status, 0) << said.err;
    expect_words(said.out, {"with headers found in", "project/Common", "scale(float*)"});
    std::filesystem::remove(folder.path + "/project/Common/helper.cuh");
    expect_words(warplens({"check", path}).err, {"scale.cu", "helper.cuh"});
}

// Marks, lines and instances through nvcc: the race is found at the line that it stands in.
TEST_F(Stranger, AProgramRunsWithItsMarksAndItsLines) {
    std::string text = kProgram;
    text.replace(text.find("    __syncthreads();"), 20, "                    ");
    file("program.cu", text);
    const std::string manifest = file("program.toml", R"(entry = "reduce<64, float>"
args = [
  { name = "in", dtype = "f32", shape = [64], fill = "ones" },
  { name = "out", dtype = "f32", shape = [64], output = true },
]
[launch]
grid = [1]
block = [64]
)");
    const std::string capture = folder.path + "/out.wlcap";
    const Said said = warplens({"run", manifest, "-o", capture, "--json"});
    EXPECT_EQ(said.status, 1) << said.out << said.err;
    const json first = json::parse(said.out).at("findings").at(0);
    EXPECT_EQ(first.at("rule"), "race_shared");
    const std::set<int> lines = {first.at("where").at("line"), first.at("other").at("line")};
    EXPECT_EQ(lines, (std::set<int>{11, 15})) << first;
    expect_words(warplens({"tiles", capture}).out, {"s "});
}

// Vectors in memory count by their elements; dynamic shared memory has no extent of its own.
TEST_F(Stranger, MarksTakeVectorsAndDynamicSharedMemory) {
    file("marks.cu", R"(#include <cuda_fp16.h>
#include <warplens.cuh>
__global__ void marks(const float4* in, int2* out) {
    extern __shared__ float s[];
    __shared__ float4 v[8];
    __shared__ __half2 h[4][8];
    s[threadIdx.x] = threadIdx.x;
    h[threadIdx.x / 8][threadIdx.x % 8] = __floats2half2_rn(1.0f, 2.0f);
    if (threadIdx.x < 8) v[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    WL_TILE("dynamic", s, 4, 8, 8);
    WL_TILE("vectors", v, 8, 4, 4);
    WL_TILE("halves", h, 4, 16, 16);
    out[threadIdx.x] = make_int2(v[threadIdx.x % 8].y, 1);
}
)");
    const std::string manifest = file("marks.toml", R"(args = [
  { name = "in", dtype = "float4", shape = [8], fill = "coordinates" },
  { name = "out", dtype = "int2", shape = [32], output = true },
]
[launch]
grid = [1]
block = [32]
shared = 128
[output.out]
compare = false
)");
    const std::string capture = folder.path + "/out.wlcap";
    const Said said = warplens({"run", manifest, "-o", capture, "-v"});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    for (const char* word : {"dynamic 4x8 f32", "vectors 8x4 f32", "halves 4x16 f16", "out 32x2 s32"}) {
        std::istringstream lines(said.out), wanted(word);
        std::string name, shape, type;
        wanted >> name >> shape >> type;
        bool found = false;
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string a, b, c;
            words >> a >> b >> c;
            found |= a == name && b == shape && c == type;
        }
        EXPECT_TRUE(found) << word << "\nin: " << said.out;
    }
}

// The parameter buffer holds a float4 at a multiple of 16, each argument under a name that people use.
TEST_F(Stranger, TypesAreCalledAsPeopleCallThem) {
    file("typed.cu", R"(#include <cuda_bf16.h>
__global__ void typed(bool on, float4 shift, const __nv_bfloat16* x, unsigned char* flags, double* out, size_t n) {
    const size_t i = threadIdx.x;
    if (i < n) out[i] = on ? double(__bfloat162float(x[i])) + shift.w - shift.x : -1.0;
    if (i < n) flags[i] = 7;
}
)");
    const std::string manifest = file("typed.toml", R"(args = [
  { name = "on", dtype = "bool", value = 1 },
  { name = "shift", dtype = "float4", value = [1, 0, 0, 101] },
  { name = "x", dtype = "bfloat16", shape = [32], fill = "coordinates" },
  { name = "flags", dtype = "uint8", shape = [32], output = true },
  { name = "out", dtype = "double", shape = [32], output = true },
  { name = "n", dtype = "size_t", value = 32 },
]
[launch]
grid = [1]
block = [32]
[reference]
python = "typed.py"
)");
    file(
        "typed.py",
        "import numpy as np\ndef reference(inputs, params):\n"
        "    return {\"out\": inputs[\"x\"] + 100, \"flags\": np.full(32, 7.0)}\n"
    );
    const Said said = warplens({"run", manifest, "-o", folder.path + "/out.wlcap", "--json"});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    const json answer = json::parse(said.out);
    for (const json& output : answer.at("outputs")) EXPECT_EQ(output.at("ok"), true) << output;
    std::string text = read_file(manifest);
    text.replace(text.find("bfloat16"), 8, "bfloat17");
    write_file(manifest, text);
    expect_words(
        warplens({"run", manifest}).err,
        {"typed.toml:4", R"(unknown dtype "bfloat17"; did you mean "bfloat16"?)"}
    );
}

TEST_F(Stranger, SymbolsAreFilledByName) {
    file(
        "stencil.cu",
        "__constant__ float weights[3];\nnamespace mine { __device__ int count; }\n"
        "__global__ void stencil(float* out) {\n"
        "    out[threadIdx.x] = weights[0] + weights[1] + weights[2] + mine::count;\n}\n"
    );
    const std::string text = R"(args = [{ name = "out", dtype = "f32", shape = [32], output = true }]
[symbol.weights]
dtype = "float"
shape = [3]
fill = "coordinates"
[symbol."mine::count"]
dtype = "int"
value = 40
[launch]
grid = [1]
block = [32]
[reference]
python = "stencil.py"
)";
    const std::string manifest = file("stencil.toml", text);
    file(
        "stencil.py",
        "import numpy as np\ndef reference(inputs, params):\n    return {\"out\": np.full(32, 43.0)}\n"
    );
    const Said said = warplens({"run", manifest, "-o", folder.path + "/out.wlcap", "--json"});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_EQ(json::parse(said.out).at("outputs").at(0).at("ok"), true) << said.out;
    const auto error_with = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        write_file(manifest, changed);
        return warplens({"run", manifest, "-o", folder.path + "/out.wlcap"}).err;
    };
    expect_words(
        error_with("symbol.weights", "symbol.wieghts"),
        {"stencil.toml:2: symbol.wieghts: the compiled kernel has no variable of this name",
         "weights",
         "mine::count"}
    );
    expect_words(
        error_with("[3]", "[4]"),
        {"stencil.toml:2: symbol.weights is 16 bytes, and the variable of the source 12"}
    );
}

}  // namespace
}  // namespace wl::test
