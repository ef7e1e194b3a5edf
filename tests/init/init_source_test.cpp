// What `init` reads off a source: what a kernel can write, the host's expressions, allocations and loops.
#include "tests/init/init_fixture.h"

namespace wl::test {
namespace {

// What the compiler puts there need not be a number.
TEST_F(Init, DefinitionsThatAreNoNumbersAreKept) {
    const std::string source = file("typed.cu", R"(
__device__ __forceinline__ REAL doubled(REAL x) { return 2 * x; }
__global__ void twice(const REAL* x, REAL* y, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = FUNCTION(x[i]) + MASK;
}
void host(const REAL* x, REAL* y, int n) { twice<<<(n + 127) / 128, 128>>>(x, y, n); }
)");
    const Said init = warplens(
        {"init", source, "-D", "REAL=double", "-D", "FUNCTION=doubled", "-D", "MASK=0x10", "-D", "NOTHING="}
    );
    EXPECT_EQ(init.status, 0) << init.err;
    expect_words(
        read_file(path("typed.toml")),
        {"REAL = { text = \"double\" }\nFUNCTION = { text = \"doubled\" }\nMASK = { text = \"0x10\" "
         "}\nNOTHING = { "
         "text = \"\" }\n",
         R"({ name = "x", dtype = "f64", shape = ["n"])"}
    );
    const std::string python = read_file(path("typed.py"));
    const auto with = [&](const std::string& answer) {
        write_file(
            path("typed.py"), python.substr(0, python.rfind("return {}")) + "return {'y': " + answer + "}\n"
        );
        take_out_assumed("typed.toml");
        return warplens({"run", path("typed.toml"), "-o", path("out.wlcap")}).status;
    };
    EXPECT_EQ(with("2 * x + 16"), 0);
    EXPECT_EQ(with("2 * x"), 1);
}

// No lane of the first run exchanges anything, nor adds or stores: what a kernel can write is told by its
// code.
TEST_F(Init, ArraysThatOnlyAConditionWritesAreOutputs) {
    const std::string source = file("claim.cu", R"(
__global__ void claim(int* slots, int* count, float* log, const int* keys, float* plain, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || keys[i] == 0) return;
    if (atomicCAS(&slots[keys[i]], -1, i) != -1) return;
    atomicAdd(count, 1);
    log[i] = plain[i];
}
void host(int* slots, int* count, float* log, int* keys, float* plain, int n) {
    claim<<<(n + 63) / 64, 64>>>(slots, count, log, keys, plain, n);
}
)");
    ASSERT_EQ(warplens({"init", source}).status, 0);
    const std::string manifest = read_file(path("claim.toml"));
    expect_words(manifest, {"[output.slots]", "[output.count]", "[output.log]"});
    EXPECT_EQ(manifest.find("[output.keys]"), std::string::npos);
    EXPECT_EQ(manifest.find("[output.plain]"), std::string::npos) << "it is only read";
    const Said run = warplens({"run", path("claim.toml"), "-o", path("out.wlcap")});
    EXPECT_EQ(run.status, 3) << run.out << run.err;
    expect_words(run.out, {"slots is not compared"});
}

// An ok in which something made up stands is none.
TEST_F(Init, WhatItMadeUpIsNoOkEither) {
    file(
        "look.cu",
        "__global__ void look(const float* x, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "    if (i < n && x[i] == 12345.0f) __trap();\n}\n"
        "void host(float* x, int n) { look<<<(n + 127) / 128, 128>>>(x, n); }\n"
    );
    ASSERT_EQ(warplens({"init", path("look.cu")}).status, 0);
    const Said run = warplens({"run", path("look.toml"), "-o", path("out.wlcap")});
    EXPECT_EQ(run.status, 3) << run.out;
    expect_words(run.out, {"incomplete: no findings, but init made up its args, params; check these"});
    EXPECT_EQ(warplens({"diagnose", path("look.toml")}).status, 3);
    EXPECT_EQ(warplens({"diagnose", path("out.wlcap")}).status, 3) << "a file says so, too";
    take_out_assumed("look.toml");
    EXPECT_EQ(warplens({"run", path("look.toml"), "-o", path("out.wlcap")}).status, 0);
}

struct HostLaunch {
    const char *declared, *grid, *block, *wanted;
};

// Expressions as hosts write them, and what a manifest makes of them: launches of one function, in place.
TEST_F(Init, ExpressionsOfTheHostAreUnderstood) {
    const HostLaunch cases[] = {
        {"",                                                        "n % 64 == 0 ? n / 64 : n / 64 + 1",                 "64",       "n % 64 == 0 ? n / 64 : n / 64 + 1"  },
        {"",                                                        "n / 64 + (n % 64 != 0)",                            "64",       "n / 64 + (n % 64 != 0)"             },
        {"",                                                        "(n >> 6) + ((n & 63) != 0 && n > 0)",               "1 << 6",   "(n >> 6) + ((n & 63) != 0 && n > 0)"},
        {"",                                                        "(int)ceil((float)n / 64)",                          "64",       "int(ceil(float(n) / 64))"           },
        {"",                                                        "ceil(n / 64.0f)",                                   "64",       "ceil(n / 64.0)"                     },
        {"",                                                        "static_cast<unsigned>(std::min<long>(n, 0x400ul))", "0100u",    "min(n, 1024)"                       },
        {"",                                                        "ceil(n / 64) + 1",                                  "64",       "n / 64 + 1"                         },
        {"int a = n / 64.0 + 1;",                                   "a",                                                 "64",       "int(n / 64.0 + 1)"                  },
        {"int b; b = (n + 63) / 64;",                               "b",                                                 "64",       "(n + 63) / 64"                      },
        {"dim3 block(64); dim3 grid((n + block.x - 1) / block.x);", "grid",                                              "block",    "(n + 64 - 1) / 64"                  },
        {"constexpr int kThreads = sizeof(double) * 8;",            "n / kThreads",                                      "kThreads", "n / (8 * 8)"                        },
        {"",                                                        "-(-n / 64)",                                        "64",       "-(-n / 64)"                         },
    };
    std::string text =
        "#include <algorithm>\n"
        "__global__ void twice(float* x, int n) {\n"
        "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) x[i] *= 2;\n}\n"
        "void host(float* x, int n) {\n";
    for (const HostLaunch& c : cases)
        text += std::string(c.declared) + "\ntwice<<<" + c.grid + ", " + c.block + ">>>(x, n);\n";
    const Said init = warplens({"init", file("x.cu", text + "}\n")});
    EXPECT_EQ(init.status, 0) << init.err;
    const std::string manifest = read_file(path("x.toml"));
    size_t at = 0;
    for (const HostLaunch& c : cases) {
        at = manifest.find("[[launch]]", at + 1);
        ASSERT_NE(at, manifest.npos) << manifest;
        expect_words(
            manifest.substr(at, manifest.find("block", at) - at),
            {std::string("grid = [\"") + c.wanted + "\"]\n"}
        );
    }
    const Said run = warplens({"run", path("x.toml"), "-o", path("out.wlcap")});
    EXPECT_EQ(run.status, 3) << run.out << run.err;
    expect_words(run.out, {"x is not compared"});
}

// A graph's edges, of which a run over zeros touches one.
TEST_F(Init, TheHostsAllocationsGiveShapes) {
    const std::string source = file("rows.cu", R"(int allocate(void* place, size_t bytes);
__global__ void rows(const int* starts, const int2* edges, float* sums, int n, int m) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int e = starts[i]; e < starts[i + 1]; ++e) sums[i] += edges[e].x;
}
int main() {
    int n = 1000, m = 8000, *d_starts;
    int2* d_edges;
    float* d_sums;
    size_t bytes = n * sizeof(float);
    cudaMalloc((void**)&d_starts, (n + 1) * sizeof(int));
    cudaMalloc(&d_edges, sizeof(int2) * m);
    cudaMalloc(&d_sums, bytes);
    rows<<<(n + 127) / 128, 128>>>(d_starts, d_edges, d_sums, n, m);
}
)");
    const Said init = warplens({"init", source});
    ASSERT_EQ(init.status, 0) << init.err;
    expect_words(
        read_file(path("rows.toml")),
        {R"({ name = "starts", dtype = "s32", shape = ["n + 1"])",
         R"({ name = "edges", dtype = "s32", shape = ["m", 2])",
         R"({ name = "sums", dtype = "f32", shape = ["n"])"}
    );
    std::string text = read_file(source);
    for (size_t at = text.find("cudaMalloc"); at != text.npos; at = text.find("cudaMalloc", at))
        text.replace(at, 10, "allocate");
    write_file(source, text);
    const Said guessed = warplens({"init", source, "--force"});
    expect_words(guessed.out, {"edges is not touched", "its shape [n, 2] is assumed"});
    const Said run = warplens({"run", path("rows.toml"), "-o", path("out.wlcap")});
    EXPECT_EQ(run.status, 3) << run.out;
}

// The second launch of a turn writes what the first one of the next turn reads.
TEST_F(Init, LaunchesOfALoopThatReadWhatTheTurnBeforeWroteAreASequence) {
    const std::string source = file("turns.cu", R"(
__global__ void read(const float* state, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * state[i];
}
__global__ void write(const float* x, float* state, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) state[i] = x[i] + 1;
}
void host(float* d_state, float* d_out, float* d_x, int n, int turns) {
    for (int t = 0; t < turns; t++) {
        read<<<(n + 63) / 64, 64>>>(d_state, d_out, n);
        write<<<(n + 63) / 64, 64>>>(d_x, d_state, n);
    }
}
)");
    const Said init = warplens({"init", source});
    EXPECT_EQ(init.status, 0) << init.err;
    expect_words(init.out, {"turns.toml: 2 launches, read, write"});
    std::string straight = read_file(source);
    const std::string loop = "for (int t = 0; t < turns; t++)";
    straight.replace(straight.find(loop), loop.size(), "");
    write_file(source, straight);
    expect_words(warplens({"init", source, "--force"}).out, {"turns.toml: read(", "other kernels of"});
}

}  // namespace
}  // namespace wl::test
