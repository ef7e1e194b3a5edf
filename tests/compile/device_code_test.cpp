// What of a source with host code is for the device.
#include "instrumentation/compile/device_code.h"

#include "instrumentation/compile/compile.h"
#include "instrumentation/compile/cpp_text.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace wl::compile {
namespace {

// All that is not white space.
std::string packed(const std::string& text) {
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](unsigned char c) {
        return !std::isspace(c);
    });
    return out;
}

constexpr const char* kKernel = "__global__ void k(float* x) { x[0] = 1; }\n";

TEST(DeviceCode, IsTheTextItselfWhereNothingIsForTheHost) {
    const std::string text =
        std::string("#include <cuda_fp16.h>\nstruct P { int a; };\n__device__ int f();\n") + kKernel;
    EXPECT_EQ(device_code(text), text);
}

TEST(DeviceCode, KeepsEveryOffsetAndLine) {
    const std::string text = std::string("#include <vector>\nint main() {\n  return 0;\n}\n") + kKernel;
    const std::string device = device_code(text);
    ASSERT_EQ(device.size(), text.size());
    EXPECT_EQ(packed(device), packed(kKernel));
    EXPECT_EQ(line_at(device, device.find("__global__")), 5);
}

TEST(DeviceCode, LeavesOutHostFunctionsOfEveryForm) {
    for (const char* host : {
             "int main(int argc, char** argv) { if (argc) { k<<<1, 1>>>(0); } return '}'; }",
             "static float cpu(const float* x) { return x[0]; }",
             "template <class T = int> void launch(T n) { f<T>(n); }",
             "void f() noexcept(true) { }",
             "auto g(int a) -> decltype(a + 1) { return a; }",
             "bool operator==(const P& a, const P& b) { return true; }",
             "__host__ void h() { }",
             "namespace n { namespace { void f() { } } }",
             "extern \"C\" { void f() { } }",
             "extern \"C\" void f() { }",
             "struct S { S(int a) : x{a}, y(a) { } int x, y; ~S() { } };",
         }) {
        const std::string device = device_code(std::string(host) + "\n" + kKernel);
        EXPECT_EQ(device.find("return"), std::string::npos) << host;
        EXPECT_EQ(device.find("f<T>"), std::string::npos) << host;
        EXPECT_EQ(device.find("(int a) :"), std::string::npos) << host;
        EXPECT_NE(device.find(kKernel), std::string::npos) << host;
        EXPECT_EQ(
            std::count(device.begin(), device.end(), '{'), std::count(device.begin(), device.end(), '}')
        ) << host;
    }
}

TEST(DeviceCode, KeepsWhatTheDeviceMayUse) {
    for (const char* kept : {
             "__device__ int f() { return 1; }",
             "__host__ __device__ int f() { return 1; }",
             "constexpr int f() { return 1; }",
             "struct S { __device__ S() : x{1} { } int x; };",
             "KERNEL(scale) { }",
             "HOST_DEVICE int f() { return 1; }",
             "const int table[] = {1, 2};",
             "auto f = [](int a) { return a; };",
             "enum class E { a, b };",
             "template <class T> struct Q { T v; };",
         }) {
        const std::string text = std::string(kept) + "\nint main() { }\n" + kKernel;
        EXPECT_NE(device_code(text).find(kept), std::string::npos) << kept;
        EXPECT_EQ(device_code(text).find("main"), std::string::npos) << kept;
    }
}

TEST(DeviceCode, KeepsDirectivesOfWhatItLeavesOut) {
    const std::string text =
        "int main() {\n#define N 4\n#if A\n  if (a) {\n#else\n  if (b) {\n#endif\n  }\n}\n"
        "__global__ void k(float* x) { x[N] = 1; }\n";
    const std::string device = device_code(text);
    EXPECT_NE(device.find("#define N 4"), std::string::npos);
    EXPECT_EQ(device.find("main"), std::string::npos);
    EXPECT_EQ(device.find("if (b)"), std::string::npos);
    EXPECT_NE(device.find("x[N] = 1"), std::string::npos);
}

// They would be lost: only the host's launch keeps them.
TEST(DeviceCode, GivesUpWhereAKernelIsKeptByItsLaunchAlone) {
    for (const char* text : {
             "static __global__ void k() { }\nint main() { k<<<1, 1>>>(); }\n",
             "namespace { __global__ void k() { } }\nint main() { k<<<1, 1>>>(); }\n",
             "int main() { ( }\n__global__ void k() { }\n",
         })
        EXPECT_EQ(device_code(text), text);
}

TEST(DeviceCode, LeavesOutDeclarationsThatAreRefused) {
    const std::string text = std::string("std::vector<int> all;\n") + kKernel + "float y;\n";
    EXPECT_EQ(
        packed(without_refused(text, "a.cu:1: error: name must be a namespace name\n", "a.cu")),
        packed(kKernel + std::string("float y;"))
    );
    for (const char* log : {"a.cu:2: error: x\n", "b.h:1: error: x\n", "a.cu:1: warning: x\n", "no place"})
        EXPECT_EQ(without_refused(text, log, "a.cu"), text) << log;
}

TEST(DeviceCode, CompilesWhatOtherwiseTakesAHostCompiler) {
    CompileOptions options;
    options.source_path = "with_main.cu";
    options.text = std::string(
                       "#include <cstdio>\n#include <vector>\n#include <sys/time.h>\n"
                       "std::vector<float> all;\nusing namespace std;\n"
                   ) +
        kKernel +
        "int main() { float* p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); printf(\"%d\", (int)all.size()); }\n";
    options.device_code = true;
    const Compiled compiled = compile(options);
    EXPECT_EQ(compiled.compiler, "NVRTC");
    EXPECT_NE(compiled.ptx.find(".entry _Z1kPf"), std::string::npos);
}

}  // namespace
}  // namespace wl::compile
