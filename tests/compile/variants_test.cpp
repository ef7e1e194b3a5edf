// Many versions of a source in one compilation: each is what it would be alone, and none spoils another.
#include "instrumentation/compile/variants.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>

namespace wl::compile {
namespace {

std::string scale(const std::string& factor) {
    return "#if __has_include(\"warplens.cuh\")\n#include \"warplens.cuh\"\n#else\n#define "
           "WL_FRAGMENT(...)\n#endif\n"
           "#define LANES 32\n"
           "__constant__ float table[4];\n"
           "__device__ float twice(float v) { return 2.0f * v; }\n"
           "extern \"C\" __global__ void scale(float* x) {\n"
           "    __shared__ float part[LANES];\n"
           "    part[threadIdx.x] = twice(x[threadIdx.x]);\n"
           "    x[threadIdx.x] = part[threadIdx.x ^ 1] * table[0] * " +
        factor +
        ";\n"
        "    float last[2] = {x[0], x[1]};\n"
        "    WL_FRAGMENT(\"last\", last);\n"
        "}\n";
}

Quick quick_of(const std::string& text) {
    CompileOptions options;
    options.source_path = "scale.cu";
    return make_quick(options, text);
}

size_t count(const std::string& text, const std::string& what) {
    size_t out = 0;
    for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++out;
    return out;
}

TEST(Variants, EachIsAModuleOfItsOwn) {
    const Quick quick = quick_of(scale("1.0f"));
    ASSERT_EQ(quick.problem, "");
    const std::vector<Variant> all = compile_variants(quick, {scale("3.0f"), scale("5.0f"), scale("7.0f")});
    ASSERT_EQ(all.size(), 3u);
    const char* factors[] = {"0f40400000", "0f40A00000", "0f40E00000"};
    for (size_t k = 0; k < all.size(); ++k) {
        EXPECT_EQ(count(all[k].ptx, ".entry"), 1u);
        EXPECT_EQ(count(all[k].ptx, ".version"), 1u);
        EXPECT_EQ(count(all[k].ptx, "//@wl fragment"), 2u) << "marks are those of every build";
        for (size_t other = 0; other < all.size(); ++other)
            EXPECT_EQ(all[k].ptx.find(factors[other]) != std::string::npos, k == other) << k << ", " << other;
    }
}

TEST(Variants, AnotherSearchOfTheSourceReadsItNoMore) {
    const Quick first = quick_of(scale("3.0f"));
    ASSERT_EQ(first.problem, "");
    EXPECT_NE(first.as_it_is.ptx.find("0f40400000"), std::string::npos) << "the source as it is";
    const Quick again = make_quick(first.options, first.text, Effort::more, &first);
    EXPECT_EQ(again.headers, first.headers) << "NVRTC was not asked";
    EXPECT_EQ(again.effort, Effort::more);
    CompileOptions other = first.options;
    other.defines.emplace_back("N", "64");
    EXPECT_NE(make_quick(other, first.text, Effort::more, &first).headers, first.headers);
    EXPECT_NE(make_quick(first.options, scale("5.0f"), Effort::more, &first).headers, first.headers);
}

TEST(Variants, WhatDoesNotCompileIsLeftOut) {
    const Quick quick = quick_of(scale("1.0f"));
    const std::vector<Variant> all =
        compile_variants(quick, {scale("3.0f"), scale("nobody"), scale("(5.0f"), scale("7.0f")});
    EXPECT_NE(all[0].ptx, "");
    EXPECT_EQ(all[1].ptx, "");
    EXPECT_NE(all[3].ptx, "");
}

TEST(Variants, AMacroMayBeAnother) {
    std::string wide = scale("3.0f");
    wide.replace(wide.find("LANES 32"), 8, "LANES 64");
    const std::vector<Variant> all =
        compile_variants(quick_of(scale("1.0f")), {scale("3.0f"), wide, scale("5.0f")});
    EXPECT_NE(all[0].ptx.find("[128]"), std::string::npos) << "bytes of `part`";
    EXPECT_NE(all[1].ptx.find("[256]"), std::string::npos);
    EXPECT_NE(all[2].ptx.find("[128]"), std::string::npos);
}

TEST(Variants, AnInstanceOfATemplateIsNamed) {
    const std::string text = "template <int N> __global__ void fill(int* x) { x[threadIdx.x] = N; }\n";
    CompileOptions options;
    options.source_path = "fill.cu", options.name_expressions = {"fill<4>"};
    const std::vector<Variant> all = compile_variants(make_quick(options, text), {text, text});
    ASSERT_EQ(all[1].lowered_names.size(), 1u);
    EXPECT_NE(all[1].ptx.find(".entry " + all[1].lowered_names[0]), std::string::npos) << all[1].ptx;
    EXPECT_NE(all[0].lowered_names, all[1].lowered_names);
}

// A struct of the source is another one in every version; the kernel's name says so.
TEST(Variants, TheNameIsThatOfTheSourceWhateverItTakes) {
    EXPECT_EQ(
        without_variant("void wl_variant_0003::scale<float>(wl_variant_0003::Rows<float>, int)"),
        "void scale<float>(Rows<float>, int)"
    );
    EXPECT_EQ(without_variant("scale(Rows, int)"), "scale(Rows, int)");
}

TEST(Variants, HeadersAreKeptAsTheyWereRead) {
    const std::string source =
        "#include <cuda_fp16.h>\n"
        "__global__ void scale(__half* x) { x[threadIdx.x] *= __half(2.0f); }\n";
    const Quick quick = quick_of(source);
    ASSERT_EQ(quick.problem, "");
    const auto kept = [&] {
        return std::distance(
            std::filesystem::directory_iterator(quick.headers->path), std::filesystem::directory_iterator()
        );
    };
    const auto once = kept();
    EXPECT_NE(compile_variants(quick, {source, source}).at(1).ptx, "");
    EXPECT_NE(compile_whole(quick, "extern \"C\" __device__ int which;\n" + source).ptx, "");
    EXPECT_EQ(kept(), once) << "texts of either kind take what the first one left";
    const Whole wrong = compile_whole(
        quick, source + "__device__ int unused() {\n#line 3000000\n int a; return nobody;\n#line 9\n}\n"
    );
    EXPECT_EQ(wrong.ptx, "");
    EXPECT_EQ(wrong.refused, (std::set<size_t>{2})) << "nothing else that is said names a change";
}

TEST(Variants, CodeOfTheHostIsLeftOut) {
    EXPECT_EQ(quick_of("#include <thread>\nint main() { std::thread t; return 0; }\n").problem, "");
}

TEST(Variants, CodeOfTheHostInAKernelIsRefusedWithTheReason) {
    EXPECT_NE(quick_of("#include <thread>\n__global__ void k() { std::thread t; }\n").problem, "");
}

}  // namespace
}  // namespace wl::compile
