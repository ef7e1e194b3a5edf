// NVRTC from source to PTX: paths and lines in messages, options, headers, and the cache.
#include "instrumentation/compile/compile.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

// A folder of its own for sources and cache; the environment is put back afterwards.
struct Compile : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("warplens_compile_" + std::to_string(getpid()));
    std::string old_cache = std::getenv("XDG_CACHE_HOME") ? std::getenv("XDG_CACHE_HOME") : "";

    void SetUp() override {
        fs::create_directories(folder);
        setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
        ASSERT_TRUE(describe_compiler().starts_with("NVRTC 1")) << describe_compiler();
    }
    void TearDown() override {
        old_cache.empty() ? unsetenv("XDG_CACHE_HOME") : setenv("XDG_CACHE_HOME", old_cache.c_str(), 1);
        for (const char* name : {"WARPLENS_NVRTC", "WARPLENS_NVCC", "WARPLENS_CLANG"}) unsetenv(name);
        fs::remove_all(folder);
    }
    CompileOptions source(const std::string& name, const std::string& text) {
        write(name, text);
        CompileOptions options;
        options.source_path = (folder / name).string();
        options.display_path = "kernels/" + name;
        return options;
    }
    void write(const std::string& name, const std::string& text) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << text;
    }
    std::vector<fs::path> cache_files() {
        std::vector<fs::path> files;
        for (const auto& entry : fs::directory_iterator(folder / "cache/warplens"))
            files.push_back(entry.path());
        return files;
    }
};

std::string error_of(const CompileOptions& options) {
    try {
        compile(options);
    } catch (const Error& e) { return e.what(); }
    return "no error";
}

const char* const kScale =
    "extern \"C\" __global__ void scale(float* x) {\n    x[threadIdx.x] *= FACTOR;\n}\n";

TEST_F(Compile, PtxHoldsTheEntryItsLinesAndTheDisplayedPath) {
    CompileOptions options = source("scale.cu", kScale);
    options.defines = {
        {"FACTOR", "3.0f"}
    };
    const Compiled compiled = compile(options);
    EXPECT_NE(compiled.ptx.find(".visible .entry scale("), std::string::npos);
    EXPECT_NE(compiled.ptx.find(".target sm_90"), std::string::npos);
    EXPECT_NE(compiled.ptx.find("\t.file\t1 \"kernels/scale.cu\"\n"), std::string::npos) << compiled.ptx;
    EXPECT_NE(compiled.ptx.find("\t.loc\t1 2 "), std::string::npos);
    EXPECT_NE(compiled.ptx.find("0f40400000"), std::string::npos) << "3.0f from the command line";
    EXPECT_EQ(compiled.source_text, kScale);
    EXPECT_GT(compiled.seconds, 0);
}

TEST_F(Compile, ADisplayedPathMayHaveAnotherFileName) {
    CompileOptions options = source("scale.cu", kScale);
    options.display_path = "shown.cu";
    EXPECT_TRUE(error_of(options).starts_with("cannot compile shown.cu:\nshown.cu:2: error: "))
        << error_of(options);
    options.defines = {
        {"FACTOR", "3.0f"}
    };
    EXPECT_NE(compile(options).ptx.find("\t.file\t1 \"shown.cu\"\n"), std::string::npos);
}

TEST_F(Compile, AnErrorShowsTheUsersLine) {
    const std::string message = error_of(source("scale.cu", kScale));
    EXPECT_TRUE(message.starts_with(
        "cannot compile kernels/scale.cu:\nkernels/scale.cu:2: error: identifier \"FACTOR\" is undefined\n"
    )) << message;
    EXPECT_EQ(message.find(folder.string()), std::string::npos) << message;
}

TEST_F(Compile, AnErrorInAHeaderShowsTheHeadersLine) {
    write("sub/broken.cuh", "\n\n__device__ float half_of(float x) { return y / 2; }\n");
    const std::string message = error_of(source("a.cu", "#include \"sub/broken.cuh\"\n"));
    EXPECT_NE(
        message.find("kernels/sub/broken.cuh:3: error: identifier \"y\" is undefined"), std::string::npos
    ) << message;
}

TEST_F(Compile, AnUnknownArchitectureIsSaid) {
    CompileOptions options = source("scale.cu", kScale);
    options.arch = "compute_91";
    EXPECT_EQ(
        error_of(options),
        "cannot compile kernels/scale.cu:\nnvrtc: error: invalid value for --gpu-architecture (-arch)"
    );
}

TEST_F(Compile, AMissingSourceIsNamed) {
    CompileOptions options;
    options.source_path = (folder / "none.cu").string();
    EXPECT_EQ(error_of(options), "cannot read " + options.source_path + ": No such file or directory.");
}

TEST_F(Compile, TheToolkitsHeadersAreFound) {
    const Compiled compiled = compile(source(
        "wmma.cu",
        "#include <cuda/std/array>\n#include <cuda_fp16.h>\n#include <mma.h>\n"
        "extern \"C\" __global__ void f(const half* a, half* b) {\n"
        "    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> x;\n"
        "    nvcuda::wmma::load_matrix_sync(x, a, 16);\n    b[threadIdx.x] = x.x[0];\n}\n"
    ));
    EXPECT_NE(compiled.ptx.find("wmma.load.a.sync.aligned.row.m16n16k16"), std::string::npos);
}

TEST_F(Compile, MarksAreCompiledOnlyWithTheProbeHeader) {
    CompileOptions options = source(
        "marked.cu",
        "#if __has_include(<warplens.cuh>)\n#define FOUND 4321\n#else\n#define FOUND 1234\n#endif\n"
        "extern \"C\" __global__ void f(int* x) { *x = FOUND; }\n"
    );
    EXPECT_NE(compile(options).ptx.find("4321"), std::string::npos);
    options.marks = false;
    EXPECT_NE(compile(options).ptx.find("1234"), std::string::npos);
}

TEST_F(Compile, TheDebugBuildNamesVariables) {
    CompileOptions options = source("scale.cu", kScale);
    options.defines = {
        {"FACTOR", "2"}
    };
    EXPECT_EQ(compile(options).ptx.find(".debug_info"), std::string::npos);
    options.debug = true;
    const Compiled compiled = compile(options);
    EXPECT_FALSE(compiled.cached) << "the optimised build must not stand in for it";
    EXPECT_NE(compiled.ptx.find(".section\t.debug_info"), std::string::npos);
}

TEST_F(Compile, ATemplateInstanceGetsItsLoweredName) {
    CompileOptions options =
        source("t.cu", "template <int n> __global__ void fill(int* x) { x[threadIdx.x] = n; }\n");
    options.name_expressions = {"fill<64>"};
    const Compiled compiled = compile(options);
    ASSERT_EQ(compiled.lowered_names.size(), 1u);
    EXPECT_NE(compiled.ptx.find(".entry " + compiled.lowered_names[0] + "("), std::string::npos);
    EXPECT_EQ(compile(options).lowered_names, compiled.lowered_names) << "from the cache";
    options.name_expressions = {"fil<64>"};
    EXPECT_NE(error_of(options).find("\"fil\" is undefined"), std::string::npos) << error_of(options);
}

TEST_F(Compile, WhatNeedsCpp20IsCompiledAsSuch) {
    const Compiled concepts = compile(source(
        "twice.cu",
        "template <class T> requires(sizeof(T) == 4) __device__ T twice(T x) { return x + x; }\n"
        "extern \"C\" __global__ void k(float* x) { *x = twice(*x); }\n"
    ));
    EXPECT_NE(concepts.ptx.find(".entry k("), std::string::npos);
    EXPECT_EQ(concepts.compiler, "NVRTC");
    // A header that says so and code of the host, as an extension of PyTorch has.
    write(
        "all.h", "#if __cplusplus < 202002L\n#error C++20 or later is required\n#endif\n#include <vector>\n"
    );
    CompileOptions extension = source(
        "add.cu",
        "#include \"all.h\"\n#include <iostream>\n__global__ void add(float* x) { *x += 1; }\n"
        "void host(float* x) { std::cout << 1; add<<<1, 1>>>(x); }\n"
    );
    extension.include.push_back(folder.string());
    const Compiled by_host = compile(extension);
    EXPECT_NE(by_host.ptx.find("add"), std::string::npos);
    EXPECT_NE(by_host.compiler, "NVRTC");
}

TEST_F(Compile, TheSecondTimeComesFromTheCache) {
    CompileOptions options = source("scale.cu", kScale);
    options.defines = {
        {"FACTOR", "2"}
    };
    const Compiled first = compile(options), second = compile(options);
    EXPECT_FALSE(first.cached);
    EXPECT_TRUE(second.cached);
    EXPECT_EQ(second.seconds, 0);
    EXPECT_EQ(second.ptx, first.ptx);
    EXPECT_EQ(second.source_text, first.source_text);
}

TEST_F(Compile, AChangeAnywhereIsCompiledAgain) {
    write("include/nested.cuh", "#define FACTOR 2\n");
    write("include/outer.cuh", "#pragma once\n# include \"nested.cuh\"\n");
    CompileOptions options = source("scale.cu", std::string("#include <outer.cuh>\n") + kScale);
    options.include = {(folder / "include").string()};
    EXPECT_FALSE(compile(options).cached);
    EXPECT_TRUE(compile(options).cached);
    write("include/nested.cuh", "#define FACTOR 5.0f\n");
    const Compiled changed = compile(options);
    EXPECT_FALSE(changed.cached) << "a header of a header";
    EXPECT_NE(changed.ptx.find("0f40A00000"), std::string::npos) << "5.0f";
    write("nested.cuh", "#define FACTOR 7\n");
    write("scale.cu", std::string("#include <outer.cuh>\n\n") + kScale);
    EXPECT_FALSE(compile(options).cached) << "the source";
    options.defines = {
        {"UNUSED", "1"}
    };
    EXPECT_FALSE(compile(options).cached) << "a define";
    options.display_path = "elsewhere/scale.cu";
    EXPECT_FALSE(compile(options).cached) << "the displayed path";
}

TEST_F(Compile, ADamagedCacheEntryIsCompiledAgain) {
    CompileOptions options = source("scale.cu", kScale);
    options.defines = {
        {"FACTOR", "2"}
    };
    const Compiled first = compile(options);
    ASSERT_EQ(cache_files().size(), 1u) << "one entry and no file left aside";
    const std::string whole = read_text_file(cache_files()[0].string());
    std::string flipped = whole;
    flipped[flipped.size() / 2] ^= 1;
    for (const std::string& damaged :
         {flipped, whole.substr(0, whole.size() - 1), std::string(), std::string("x")}) {
        std::ofstream(cache_files()[0], std::ios::binary) << damaged;
        const Compiled again = compile(options);
        EXPECT_FALSE(again.cached);
        EXPECT_EQ(again.ptx, first.ptx);
    }
    EXPECT_TRUE(compile(options).cached);
}

TEST_F(Compile, WarningsAreKept) {
    const CompileOptions options = source("w.cu", "extern \"C\" __global__ void f() {\n    int unused;\n}\n");
    const Compiled compiled = compile(options);
    EXPECT_TRUE(compiled.log.starts_with("kernels/w.cu:2: warning #177-D: variable \"unused\""))
        << compiled.log;
    EXPECT_EQ(compile(options).log, compiled.log) << "from the cache too";
}

TEST_F(Compile, AnAbsentCompilerIsSaidWithTheWayToIt) {
    setenv("WARPLENS_NVRTC", (folder / "nowhere").c_str(), 1);
    const std::string message = error_of(source("scale.cu", kScale));
    EXPECT_TRUE(message.starts_with(
        "NVRTC, CUDA's run-time compiler, was not found; looked in WARPLENS_NVRTC=" +
        (folder / "nowhere").string() + ". `./dev setup` in the source tree fetches it;"
    )) << message;
    EXPECT_EQ(describe_compiler(), message);
}

TEST_F(Compile, ACompilerWithoutHeadersSaysSo) {
    setenv("WARPLENS_NVCC", "none", 1);
    setenv("WARPLENS_CLANG", "none", 1);
    const std::string described = describe_compiler();
    const fs::path library =
        described.substr(described.find('(') + 1, described.find(')') - described.find('(') - 1);
    for (const auto& entry : fs::directory_iterator(library.parent_path()))
        if (entry.path().filename().string().starts_with("libnvrtc"))
            fs::copy_file(entry.path(), folder / entry.path().filename());
    setenv("WARPLENS_NVRTC", folder.c_str(), 1);
    EXPECT_NE(describe_compiler().find("; CUDA's headers were not found near it"), std::string::npos);
    const std::string message = error_of(source("h.cu", "#include <cuda_fp16.h>\n"));
    EXPECT_NE(
        message.find("kernels/h.cu:1: catastrophic error: cannot open source file \"cuda_fp16.h\""),
        std::string::npos
    ) << message;
    EXPECT_TRUE(message.ends_with(
        "CUDA's own headers were not found near " + (folder / library.filename()).string() + "."
    )) << message;
}

TEST_F(Compile, ALibraryThatIsNoNvrtcIsSaid) {
    write("fake/libnvrtc.so.13", "not a library");
    setenv("WARPLENS_NVRTC", (folder / "fake").c_str(), 1);
    EXPECT_TRUE(error_of(source("scale.cu", kScale)).starts_with("NVRTC does not load: "))
        << describe_compiler();
}

}  // namespace
}  // namespace wl::compile
