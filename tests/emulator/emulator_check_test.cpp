// check_entries is a promise about lower: what it calls fine lowers, what it refuses does not.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/emulator/run.h"

#include <filesystem>
#include <gtest/gtest.h>

namespace wl::emulator {
namespace {

bool lowers(const ptx::Module& module, const std::string& entry) {
    try {
        lower(module, entry);
        return true;
    } catch (const Unsupported&) { return false; }
}

TEST(EmulatorCheck, SaysOkExactlyWhenTheEntryLowers) {
    int fine = 0, refused = 0;
    for (const auto& file : std::filesystem::directory_iterator(WL_SOURCE_DIR "/tests/ptx")) {
        if (file.path().extension() != ".ptx") continue;
        const ptx::Module module = ptx::parse(read_text_file(file.path().string()));
        for (const EntryCheck& entry : check_entries(module)) {
            const std::string& name = module.functions[static_cast<size_t>(entry.function)].name;
            EXPECT_EQ(entry.refused.empty(), lowers(module, name)) << file.path() << " " << name;
            ++(entry.refused.empty() ? fine : refused);
        }
    }
    EXPECT_GT(fine, 0);
    EXPECT_GT(refused, 0);
}

TEST(EmulatorCheck, AnUndefinedVariableIsRefusedByLoweringToo) {
    const ptx::Module module = ptx::parse(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .global .u32 theirs;\n.extern .shared .b8 "
        "dynamic[];\n.entry a() { .reg .u64 %r<2>; mov.u64 %r1, theirs; ret; }\n.entry b() { .reg .u64 "
        "%r<2>; "
        "mov.u64 %r1, dynamic; ret; }\n"
    );
    EXPECT_FALSE(lowers(module, "a"));
    EXPECT_TRUE(lowers(module, "b"));
}

TEST(EmulatorCheck, ABlockHoldsTheSharedVariablesOfItsOwnKernelOnly) {
    const ptx::Module module = ptx::parse(
        ".version 8.0\n.target sm_80\n.address_size 64\n.shared .b8 mine[100];\n.shared .b8 theirs[5000];\n"
        ".shared .b8 called[32];\n.extern .shared .b8 dynamic[];\n"
        ".func f() { .reg .b32 %r<2>; mov.u32 %r1, called; ret; }\n"
        ".entry a() { .reg .b32 %r<2>; mov.u32 %r1, mine; mov.u32 %r1, dynamic; call f; ret; }\n"
        ".entry b() { .reg .b32 %r<2>; mov.u32 %r1, theirs; ret; }\n.entry c() { ret; }\n"
    );
    EXPECT_EQ(static_shared_bytes(*lower(module, "a")), 144U);  // 132, to the 16 bytes where dynamic begins
    EXPECT_EQ(static_shared_bytes(*lower(module, "b")), 5008U);
    EXPECT_EQ(static_shared_bytes(*lower(module, "c")), 0U);
}

// Where a text asks for more memory than any GPU has, nothing is allocated.
TEST(EmulatorCheck, HugeVariablesAreRefusedBeforeTheyAreMade) {
    const std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";
    for (const char* declaration : {".shared .b8 x", ".local .b8 x", ".const .b8 x"}) {
        std::string text = header + ".entry k() { ";
        text.append(declaration).append("[9000000]; ret; }");
        EXPECT_THROW(ptx::parse(text), Error) << declaration;
    }
    EXPECT_THROW(ptx::parse(header + ".entry k(.param .b8 x[100000]) { ret; }"), Error);
    const auto refusal_of = [&](const std::string& text) {
        const auto checked = check_entries(ptx::parse(header + text));
        return checked.at(0).refused.empty() ? "none" : checked[0].refused[0].why;
    };
    std::string many;
    for (int i = 0; i < 40; ++i) many += ".shared .b8 s" + std::to_string(i) + "[60000];\n";
    EXPECT_EQ(refusal_of(many + ".entry k() { ret; }"), "none");  // not this kernel's
    std::string naming = ".entry k() { .reg .b32 %r<2>;";
    for (int i = 0; i < 40; ++i) naming += "mov.u32 %r1, s" + std::to_string(i) + ";";
    EXPECT_NE(refusal_of(many + naming + "ret; }").find("of shared memory"), std::string::npos);
    EXPECT_EQ(refusal_of(".shared .b8 s[60000];\n.entry k() { ret; }"), "none");
    EXPECT_NE(
        refusal_of(".global .b8 g[1000000000000];\n.entry k() { ret; }").find("of global variables"),
        std::string::npos
    );
}

}  // namespace
}  // namespace wl::emulator
