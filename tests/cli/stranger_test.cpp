// Sources as strangers write them: host code, headers, launches, templates, and what is said of those that
// nothing here can compile.
#include "tests/support/program.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

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

}  // namespace
}  // namespace wl::test
