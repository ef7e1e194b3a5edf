// Modules that were compiled apart become one.
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/link.h"
#include "instrumentation/ptx/module.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace wl::ptx {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";

std::string entry(const std::string& name, const std::string& body, const std::string& linkage = ".visible") {
    return linkage + " .entry " + name + "()\n{\n" + body + "ret;\n}\n";
}
const Function* find(const Module& m, const std::string& name) {
    const auto found = std::find_if(m.functions.begin(), m.functions.end(), [&](const Function& f) {
        return f.name == name;
    });
    return found == m.functions.end() ? nullptr : &*found;
}

TEST(PtxLink, OneTextStaysAsItIs) { EXPECT_EQ(linked({"anything"}), "anything"); }

TEST(PtxLink, WhatOneDeclaresTheOtherDefines) {
    const std::string uses = kHead +
        ".extern .global .align 4 .u32 counter;\n.extern .func (.param .b32 r) f();\n" +
        entry("k",
              "{\n.reg .u32 %r1;\n.param .b32 r;\ncall.uni (r), f;\nld.param.b32 %r1, [r];\n"
              "st.global.u32 [counter], %r1;\n}\n");
    const std::string has =
        ".version 8.3\n.target sm_90\n.address_size 64\n"
        ".visible .global .align 4 .u32 counter = 7;\n"
        ".visible .func (.param .b32 r) f()\n{\nst.param.b32 [r], 3;\nret;\n}\n";
    for (const auto& texts : {
             std::vector{uses, has },
             std::vector{has,  uses}
    }) {
        const Module m = parse(linked(texts));
        EXPECT_EQ(m.version, "8.3");
        EXPECT_EQ(m.target, "sm_90");
        ASSERT_EQ(m.variables.size(), 1u);
        EXPECT_FALSE(m.variables[0].is_extern);
        EXPECT_EQ(m.variables[0].init.size(), 1u);
        ASSERT_NE(find(m, "f"), nullptr);
        EXPECT_FALSE(find(m, "f")->is_declaration);
        EXPECT_FALSE(find(m, "k")->is_declaration);
    }
}

TEST(PtxLink, WhatIsAFilesOwnStaysItsOwn) {
    const auto file = [](const std::string& kernel, const std::string& value) {
        return kHead + ".global .align 4 .u32 own = " + value +
            ";\n.func f()\n{\n.reg .u32 %r1;\nmov.u32 %r1, " + value + ";\nret;\n}\n" +
            entry(kernel, "{\n.reg .u32 %r1;\nld.global.u32 %r1, [own];\ncall.uni f;\n}\n");
    };
    const Module m = parse(linked({file("a", "1"), file("b", "2")}));
    EXPECT_EQ(m.variables.size(), 2u);
    const Function* const b = find(m, "b");
    ASSERT_NE(b, nullptr);
    const int called = b->code[1].operands[1].index, read = b->code[0].operands[1].index;
    EXPECT_NE(m.functions[static_cast<size_t>(called)].name, "f") << "the first file's";
    EXPECT_NE(m.variables[static_cast<size_t>(read)].name, "own");
}

TEST(PtxLink, OfWeakDefinitionsOneIsLeft) {
    const auto file = [](const std::string& linkage, const std::string& value) {
        return kHead + linkage + " .global .align 4 .u32 v = " + value + ";\n" + linkage +
            " .func f()\n{\n.reg .u32 %r1;\nmov.u32 %r1, " + value + ";\nret;\n}\n" +
            entry("k", "call.uni f;\n", ".weak");
    };
    for (const auto& [texts, value] : {
             std::pair{std::vector{file(".weak", "1"), file(".weak", "2")},    1},
             std::pair{std::vector{file(".weak", "1"), file(".visible", "2")}, 2},
             std::pair{std::vector{file(".visible", "1"), file(".weak", "2")}, 1}
    }) {
        const Module m = parse(linked(texts));
        ASSERT_EQ(m.variables.size(), 1u);
        EXPECT_EQ(m.variables[0].init.at(0).bytes.at(0), static_cast<std::byte>(value));
        ASSERT_NE(find(m, "f"), nullptr);
        EXPECT_EQ(find(m, "f")->code[0].operands[1].bits, static_cast<uint64_t>(value));
    }
    EXPECT_THROW(linked({file(".visible", "1"), file(".visible", "2")}), Error);
}

TEST(PtxLink, LinesStayThoseOfTheirFiles) {
    const auto file = [](const std::string& kernel) {
        return kHead + ".visible .entry " + kernel +
            "()\n{\n.reg .u32 %r1;\n.loc 1 7 1\nmov.u32 %r1, 1;\n.loc 2 8 1, function_name $L__info_string0, "
            "inlined_at 1 9 1\n"
            "mov.u32 %r1, 2;\nret;\n}\n.file 1 \"" +
            kernel + ".cu\"\n.file 2 \"" + kernel + ".h\"\n.section .debug_str\n{\n$L__info_string0:\n.b8 " +
            (kernel == "a" ? "120" : "121") + ",0\n}\n";
    };
    const Module m = parse(linked({file("a"), file("b")}));
    for (const std::string kernel : {"a", "b"}) {
        const Function& f = *find(m, kernel);
        EXPECT_EQ(describe(m, f.code[0].location), kernel + ".cu:7");
        EXPECT_EQ(describe(m, f.code[1].location), kernel + ".h:8");
        const Location& inlined = m.locations[static_cast<size_t>(f.code[1].location)];
        EXPECT_EQ(m.function_names.at(static_cast<size_t>(inlined.function)), kernel == "a" ? "x" : "y");
    }
}

}  // namespace
}  // namespace wl::ptx
