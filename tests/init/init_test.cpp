// `warplens init`: from a stranger's source to the first honest verdict, and what is refused on the way.
#include "tests/init/init_fixture.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

const char* const kGemm = R"(#include <cuda_fp16.h>
#include <vector>
#define TILE 16
struct Scale { int shift; float alpha; };
__global__ void gemm(const __half* A, const __half* B, float* C, int M, int N, int K, Scale s) {
    const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
    if (row >= M || col >= N) return;
    float acc = 0.0f;
    for (int k = 0; k < K; ++k) acc += __half2float(A[row * K + k]) * __half2float(B[k * N + col]);
    C[row * N + col] = s.alpha * acc;
}
int main() {
    int m = 512, n = 512, k = 512;
    __half *a = nullptr, *b = nullptr;
    float* c = nullptr;
    dim3 block(TILE, TILE), grid((n + TILE - 1) / TILE, (m + block.x - 1) / TILE);
    dim3 cells((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
    std::vector<float> host;
    gemm<<<cells, block, 0>>>(a, b, c, m, n, k, Scale{0, 1.0f});
}
)";

const char* const kReference = R"(
def reference(inputs, params):
    a = inputs["A"].reshape(params["M"], params["K"])
    b = inputs["B"].reshape(params["K"], params["N"])
    return {"C": a @ b, "C.scale": abs(a) @ abs(b)}
)";

// Two kernels, the second of which reads what the first wrote.
const char* const kSums = R"(#include <cstdio>
__global__ void parts(const float* in, float* sums, int n) {
    __shared__ float s[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    if (threadIdx.x > 0) return;
    float sum = 0.0f;
    for (int k = 0; k < 64; ++k) sum += s[k];
    sums[blockIdx.x] = sum;
}
__global__ void total(const float* sums, float* out, int count) {
    float sum = 0.0f;
    for (int k = 0; k < count; ++k) sum += sums[k];
    if (threadIdx.x == 0) *out = sum;
}
int main() {
    const int n = 1 << 20;
    int blocks = (n + 63) / 64;
    float *d_in = nullptr, *d_sums = nullptr, *d_out = nullptr;
    for (int turn = 0; turn < 3; ++turn) {
        parts<<<blocks, 64>>>(d_in, d_sums, n);
        total<<<1, 32>>>(d_sums, d_out, blocks);
    }
    parts<<<blocks, 64>>>(d_in, d_sums, n);
}
)";

TEST_F(Init, ConstantsThatTheHostFillsAreToldWithTheirSize) {
    const Said init = warplens(
        {"init",
         file(
             "taps.cu",
             "__constant__ float taps[5];\n"
             "__global__ void scale(const float* x, float* y, int n) {\n"
             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    if (i < n) y[i] = taps[i % 5] * x[i];\n}\n"
         )}
    );
    EXPECT_EQ(init.status, 0) << init.err;
    expect_words(init.out, {"taps, 20 bytes, is zero until [symbol.taps] fills it"});
}

TEST_F(Init, FoldersOfHeadersAndDefinesGoIntoTheManifest) {
    std::filesystem::create_directory(path("shared"));
    file("shared/tile.h", "#define WIDTH (2 * TILE)\n");
    const std::string source = file("gemm.cu", R"(#include "tile.h"
__global__ void twice(const float* x, float* y, int n) {
    const int i = blockIdx.x * WIDTH + threadIdx.x;
    if (i < n) y[i] = SCALE * x[i];
}
void host(const float* x, float* y, int n) { twice<<<(n + WIDTH - 1) / WIDTH, WIDTH>>>(x, y, n); }
)");
    const Said init = warplens({"init", source, "-I", path("shared"), "-D", "TILE=32", "-D", "SCALE=2.0f/1"});
    EXPECT_EQ(init.status, 0) << init.err;
    expect_words(
        read_file(path("gemm.toml")),
        {"include = [\"shared\"]", "[define]\nTILE = 32\nSCALE = { text = \"2.0f/1\" }\n"}
    );
    EXPECT_EQ(warplens({"run", path("gemm.toml"), "-o", path("out.wlcap")}).status, 3)
        << "the manifest is read";
}

TEST_F(Init, TablesOfAddressesAreTakenForRowsOfAnArray) {
    const Said init = warplens(
        {"init",
         file(
             "rows.cu",
             "__global__ void rows(const float* const* xs, float* const* ys, int n) {\n"
             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
             "    if (i < n) ys[blockIdx.y][i] = 2 * xs[blockIdx.y][i];\n}\n"
             "int main() { float **x = 0, **y = 0; int n = 100; rows<<<dim3((n + 63) / 64, 4), 64>>>(x, y, "
             "n); }\n"
         )}
    );
    EXPECT_EQ(init.status, 0) << init.err;
    expect_words(init.out, {"xs is a table of addresses, taken for those of the rows of one array"});
    expect_words(
        read_file(path("rows.toml")),
        {R"({ name = "ys", rows_of = { name = "row", dtype = "f32", shape = [4, "n"], fill = "zeros", output = true } })",
         "[output.\"ys.row\"]"}
    );
    const std::string python = read_file(path("rows.py"));
    write_file(path("rows.py"), python.substr(0, python.rfind("return {}")) + "return {'ys.row': 2 * xs}\n");
    EXPECT_EQ(warplens({"run", path("rows.toml"), "-o", path("rows.wlcap")}).status, 3) << "made up";
    take_out_assumed("rows.toml");
    const Said run = warplens({"run", path("rows.toml"), "-o", path("rows.wlcap")});
    EXPECT_EQ(run.status, 0) << run.out << run.err;
    expect_words(run.out, {"output ys.row: ok; 4096 of 4096 elements compared"});
}

TEST_F(Init, LaunchesOfOneFunctionThatReadEachOthersResultsAreASequence) {
    const Said init = warplens({"init", file("sums.cu", kSums)});
    EXPECT_EQ(init.status, 0) << init.err;
    expect_words(init.out, {"sums.toml: 2 launches, parts, total", "repeat = ... has them again"});
    const std::string manifest = read_file(path("sums.toml"));
    expect_words(
        manifest,
        {"[[launch]]  # in order, from sums.cu:22",
         "entry = \"total\"\nargs = [\"sums\", \"out\", { name = \"count\", dtype = \"s32\", value = "
         "\"count\" }]",
         "[output.sums]\ncompare = false"}
    );
    const Said first = warplens({"run", path("sums.toml"), "--json", "-o", path("sums.wlcap")});
    EXPECT_EQ(first.status, 3) << first.out << first.err;
    const json answer = json::parse(first.out);
    EXPECT_EQ(answer.at("verdict"), "incomplete");
    EXPECT_EQ(answer.at("launches").size(), 2u);
    EXPECT_EQ(answer.at("findings").size(), 0u);
    EXPECT_EQ(warplens({"run", path("sums.toml"), "--preset", "ragged", "-o", path("r.wlcap")}).status, 3);
    EXPECT_EQ(warplens({"init", path("sums.cu"), "--entry", "parts", "--force"}).status, 0);
    EXPECT_EQ(read_file(path("sums.toml")).find("[[launch]]"), std::string::npos) << "that kernel alone";
}

TEST_F(Init, ThreeCommandsLeadToTheFirstHonestVerdict) {
    const Said init = warplens({"init", file("gemm.cu", kGemm)});
    EXPECT_EQ(init.status, 0) << init.out << init.err;
    expect_words(
        init.out,
        {"gemm.toml: gemm(__half const*", "left to do:", "gemm.py: return what", "then: warplens run"}
    );
    const Said first = warplens({"run", path("gemm.toml"), "-o", path("out.wlcap")});
    EXPECT_EQ(first.status, 3) << first.out << first.err;
    expect_words(
        first.out,
        {"incomplete: no findings, but C is not compared: the reference has no tensor named C",
         "output C: not compared; 0 of 768 elements compared",
         "covered: 0 of 4 blocks compared"}
    );
    std::string manifest = read_file(path("gemm.toml"));
    manifest.replace(manifest.find("terms = 1"), 9, "terms = \"K\"");
    write_file(path("gemm.toml"), manifest);
    write_file(path("gemm.py"), kReference);
    take_out_assumed("gemm.toml");
    for (const std::vector<std::string>& sizes : {
             std::vector<std::string>{        },
             { "--preset", "ragged"}
    }) {
        const Said said = run(sizes);
        EXPECT_EQ(said.status, 0) << said.out << said.err;
        const json j = json::parse(said.out);
        EXPECT_EQ(j.at("verdict"), "ok");
        EXPECT_EQ(j.at("outputs").at(0).at("ok"), true) << j;
    }
}

// Right for whole tiles only, which nothing in the source tells.
TEST_F(Init, WhatItMadeUpAccusesNobody) {
    file(
        "pairs.cu",
        "__global__ void pairs(const float* x, float* y, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    y[i] = x[i] + x[i ^ 32];\n"
        "}\n"
        "void host(float* x, float* y, int n) { pairs<<<(n + 127) / 128, 128>>>(x, y, n); }\n"
    );
    ASSERT_EQ(warplens({"init", path("pairs.cu")}).status, 0);
    std::string manifest = read_file(path("pairs.toml"));
    const std::string assumed = "assumed = [\"args\", \"params\"]\n";
    expect_words(manifest, {assumed});
    const auto replace = [&](const std::string& from, const std::string& to) {
        const size_t at = manifest.find(from);
        ASSERT_NE(at, std::string::npos) << from << " in " << manifest;
        manifest.replace(at, from.size(), to);
        write_file(path("pairs.toml"), manifest);
    };
    replace("n = 1024", "n = 1000");
    replace("shape = [\"(n + 127) / 128 * 128\"], output", "shape = [\"n\"], output");

    const Said made_up = warplens({"diagnose", path("pairs.toml")});
    EXPECT_EQ(made_up.status, 3) << made_up.out;
    expect_words(
        made_up.out,
        {"out_of_bounds",
         "incomplete: what is found may be the description's fault: init made up its args, params"}
    );
    const std::string capture = path("pairs.wlcap");
    EXPECT_EQ(warplens({"run", path("pairs.toml"), "-o", capture}).status, 3);
    const json reopened = json::parse(warplens({"diagnose", capture, "--json"}).out);
    EXPECT_EQ(reopened.at("verdict"), "incomplete");
    EXPECT_EQ(reopened.at("covered").at("assumed"), (json{"args", "params"}));

    replace(assumed, "");
    EXPECT_EQ(warplens({"diagnose", path("pairs.toml")}).status, 1);
    replace("source = ", "assumed = [\"sizes\"]\nsource = ");
    const Said unknown = warplens({"diagnose", path("pairs.toml")});
    EXPECT_EQ(unknown.status, 2);
    expect_words(unknown.err, {"pairs.toml:1: assumed: 'sizes' is none of args, params, launch"});
}

TEST_F(Init, TheManifestSaysWhatSourceLaunchAndRunShow) {
    warplens({"init", file("gemm.cu", kGemm)});
    expect_words(
        read_file(path("gemm.toml")),
        {"source = \"gemm.cu\"\nentry = \"gemm\"\n",
         R"({ name = "A", dtype = "f16", shape = ["M", "K"], fill = "normal" },)",
         R"({ name = "B", dtype = "f16", shape = ["N", "K"], fill = "normal" },)",
         R"({ name = "C", dtype = "f32", shape = ["M", "N"], output = true },)",
         R"({ name = "M", dtype = "s32", value = "M" },)",
         R"({ name = "alpha", dtype = "f32", value = 1.0 })",
         "M = 32\nN = 24\nK = 40\n",
         "[presets.ragged]",
         "M = 27\nN = 19\nK = 35\n",
         "[launch]  # as in gemm.cu:19\ngrid = [\"(N + 16 - 1) / 16\", \"(M + 16 - 1) / 16\"]\nblock = [16, "
         "16]\n",
         "python = \"gemm.py\""}
    );
}

// As the layouts of templates are: one byte, of which nothing is left to do.
TEST_F(Init, AnObjectWithoutMembersIsNoWorkLeft) {
    file(
        "tagged.cu",
        "struct Tag {};\nstruct Pair { Tag tag; int* a; };\n"
        "template <class T> __global__ void fill(T tag, int* a) { a[threadIdx.x] = 3; }\n"
        "void host(int* a) { fill<<<1, 32>>>(Tag{}, a); }\n"
    );
    const Said said = warplens({"init", path("tagged.cu")});
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(said.out.find("tag is a struct"), std::string::npos) << said.out;
    expect_words(
        read_file(path("tagged.toml")),
        {R"({ name = "tag", fields = [{ name = "w0", dtype = "u8", value = 0 }] })"}
    );
    EXPECT_EQ(warplens({"run", path("tagged.toml"), "-o", path("out.wlcap")}).status, 3)
        << "no reference yet";
}

TEST_F(Init, WhatIsThereIsNotWrittenOver) {
    const std::string source = file("gemm.cu", kGemm);
    file("gemm.py", "# mine\n");
    const Said said = warplens({"init", source});
    EXPECT_EQ(said.status, 2);
    expect_words(said.err, {"gemm.py is there already; --force writes over it"});
    EXPECT_EQ(read_file(path("gemm.py")), "# mine\n");
    EXPECT_FALSE(std::filesystem::exists(path("gemm.toml"))) << "all or nothing";
    EXPECT_EQ(warplens({"init", source, "--force"}).status, 0);
    expect_words(read_file(path("gemm.py")), {"def reference(inputs, params):"});
}

// Sums are added to: they start at zero. Rows of vectors keep their lanes. A name that Python has taken gets
// a _.
TEST_F(Init, ArraysAreGivenWhatTheirUseAsksFor) {
    const std::string source = file(
        "sum.cu",
        "__global__ void sum(const float4* in, float* total, const int* index, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n) atomicAdd(total, in[i].x + in[i].w + index[i]);\n}\n"
        "__global__ void other(float* x) { *x = 1.0f; }\n"
    );
    const Said said = warplens({"init", source});
    EXPECT_EQ(said.status, 0) << said.err;
    expect_words(
        said.out,
        {"the host's launch was not found or not understood",
         "index holds whole numbers, zeros for now",
         "other kernels of",
         "other"}
    );
    expect_words(
        read_file(path("sum.toml")),
        {R"({ name = "in", dtype = "f32", shape = ["n", 4], fill = "normal" },)",
         R"({ name = "total", dtype = "f32", shape = [1], fill = "zeros", output = true },)",
         R"({ name = "index", dtype = "s32", shape = ["n"], fill = "zeros" },)"}
    );
    expect_words(read_file(path("sum.py")), {"in_ = inputs[\"in\"]"});
    EXPECT_EQ(warplens({"run", path("sum.toml"), "-o", path("out.wlcap")}).status, 3);
}

TEST_F(Init, PtxNeedsNoSource) {
    const std::string source = file(
        "twice.cu",
        "extern \"C\" __global__ void twice(const double* x, double* y, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) y[i] = 2 * x[i];\n}\n"
    );
    EXPECT_EQ(warplens({"init", source}).status, 0);
    const Said ptx = warplens({"init", source_path("tests/ptx/v2c_3.ptx"), "-o", path("v2c.toml")});
    EXPECT_EQ(ptx.status, 0) << ptx.err;
    expect_words(
        read_file(path("v2c.toml")),
        {R"(name = "p4", dtype = "s32", value = "p4")",
         "v2c_3.ptx",
         R"(name = "p3", dtype = "f32", shape = ["p4"], output = true)"}
    );
}

TEST_F(Init, ItsHelpNamesTheTypes) {
    expect_words(
        warplens({"help", "init"}).out,
        {"f32, fp32, float32, float", "s32, i32, int32, int32_t, int", "--force"}
    );
}

}  // namespace
}  // namespace wl::test
