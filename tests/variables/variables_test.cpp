// Source variables of debug builds: names, types and places, from the compiler's own DWARF.
#include "instrumentation/variables/variables.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wl::variables {
namespace {

ptx::Module sample(const std::string& name) {
    return ptx::parse(read_text_file(WL_SOURCE_DIR "/tests/ptx/" + name));
}

ptx::Module compiled(const std::string& text, bool debug) {
    const auto path =
        std::filesystem::temp_directory_path() / ("variables_" + std::to_string(getpid()) + ".cu");
    std::ofstream(path) << text;
    compile::CompileOptions options;
    options.source_path = path.string();
    options.debug = debug;
    ptx::Module module = ptx::parse(compile::compile(options).ptx);
    std::filesystem::remove(path);
    return module;
}

int function_named(const ptx::Module& module, const std::string& name) {
    for (size_t f = 0; f < module.functions.size(); ++f)
        if (module.functions[f].name.find(name) != std::string::npos && !module.functions[f].code.empty())
            return static_cast<int>(f);
    ADD_FAILURE() << "no function " << name;
    return 0;
}

const Variable& named(const Variables& variables, int function, const std::string& name) {
    const auto found = std::find_if(variables.all.begin(), variables.all.end(), [&](const Variable& v) {
        return v.function == function && v.name == name;
    });
    if (found == variables.all.end()) throw Error("no variable " + name);
    return *found;
}

const Type& type_of(const Variables& variables, int type) {
    return variables.types.at(static_cast<size_t>(type));
}

TEST(Variables, ParameterOfAFunctionIsInTheRegisterThatHoldsItAtEachInstruction) {
    const ptx::Module module = sample("v2c_3_debug.ptx");
    const Variables variables = read(module);
    const int function = function_named(module, "warp_reduce_sum");
    const Variable& x = named(variables, function, "x");
    EXPECT_TRUE(x.is_parameter);
    EXPECT_EQ(x.line, 40);
    EXPECT_EQ(type_of(variables, x.type).kind, Type::Kind::real);
    const auto& registers = module.functions[static_cast<size_t>(function)].registers;
    const auto register_at = [&](int32_t instruction) {
        const Range* range = place_at(x, instruction);
        return range ? registers.at(static_cast<size_t>(range->places.at(0).reg)).name : "nowhere";
    };
    EXPECT_EQ(register_at(0), "%f3");
    EXPECT_EQ(register_at(4), "%f7");
    EXPECT_EQ(register_at(20), "%f1");
    EXPECT_EQ(register_at(21), "%f2");
    EXPECT_EQ(register_at(29), "nowhere");
}

TEST(Variables, LocalArrayAndModuleVariablesAreInMemory) {
    const ptx::Module module = sample("language_debug.ptx");
    const Variables variables = read(module);
    const Variable& local = named(variables, function_named(module, "language"), "local");
    EXPECT_EQ(type_of(variables, local.type).name, "int[16]");
    ASSERT_EQ(local.ranges.size(), 1u);
    EXPECT_EQ(local.ranges[0].places.at(0).symbol, "__local_depot6");
    EXPECT_EQ(local.ranges[0].places.at(0).space, ptx::Space::local);

    const Variable& grid = named(variables, -1, "grid");
    const Type& rows = type_of(variables, grid.type);
    EXPECT_EQ(rows.name, "double[2][3]");
    EXPECT_EQ(rows.count, 2u);
    EXPECT_EQ(rows.bytes, 48u);
    EXPECT_EQ(type_of(variables, rows.of).count, 3u);
    EXPECT_EQ(grid.ranges.at(0).places.at(0).space, ptx::Space::global);
    EXPECT_EQ(named(variables, -1, "table").ranges.at(0).places.at(0).space, ptx::Space::constant);
    EXPECT_EQ(named(variables, -1, "shared").ranges.at(0).places.at(0).space, ptx::Space::shared);
}

TEST(Variables, StructuresHaveTheirMembersAndOffsets) {
    const ptx::Module module = compiled(
        "struct Inner { short low; double high; };\n"
        "struct Outer { char tag; Inner pair[2]; float* next; unsigned long long bits; bool on; };\n"
        "extern \"C\" __global__ void k(Outer o, float* out) {\n"
        "    Outer copy = o;\n"
        "    copy.pair[1].high += threadIdx.x;\n"
        "    out[0] = copy.pair[1].high;\n"
        "}\n",
        true
    );
    const Variables variables = read(module);
    const Variable& copy = named(variables, function_named(module, "k"), "copy");
    const Type& outer = type_of(variables, copy.type);
    ASSERT_EQ(outer.kind, Type::Kind::structure);
    EXPECT_EQ(outer.name, "Outer");
    EXPECT_EQ(outer.bytes, 64u);
    ASSERT_EQ(outer.members.size(), 5u);
    EXPECT_EQ(outer.members[1].name, "pair");
    EXPECT_EQ(outer.members[1].offset, 8u);
    EXPECT_EQ(outer.members[2].offset, 40u);
    EXPECT_EQ(type_of(variables, outer.members[2].type).name, "float*");
    EXPECT_EQ(type_of(variables, outer.members[3].type).kind, Type::Kind::natural);
    EXPECT_EQ(type_of(variables, outer.members[4].type).kind, Type::Kind::boolean);
    const Type& pair = type_of(variables, outer.members[1].type);
    EXPECT_EQ(pair.name, "Inner[2]");
    EXPECT_EQ(type_of(variables, pair.of).members.at(1).offset, 8u);
}

TEST(Variables, InnerScopesComeFirst) {
    const ptx::Module module = compiled(
        "extern \"C\" __global__ void k(int* out, int n) {\n"
        "    int value = n;\n"
        "    for (int i = 0; i < n; ++i) {\n"
        "        int value = out[i];\n"
        "        out[i] = value + i;\n"
        "    }\n"
        "    out[n] = value;\n"
        "}\n",
        true
    );
    const Variables variables = read(module);
    const int function = function_named(module, "k");
    int32_t inside = -1;
    const auto& code = module.functions[static_cast<size_t>(function)].code;
    for (size_t k = 0; k < code.size(); ++k)
        if (code[k].mnemonic == "st.u32" && inside < 0) inside = static_cast<int32_t>(k);
    ASSERT_GE(inside, 0);
    std::vector<int> lines;
    for (const Variable* v : visible(variables, function, inside))
        if (v->name == "value") lines.push_back(v->line);
    EXPECT_EQ(lines, (std::vector<int>{4, 2}));
}

TEST(Variables, OptimisedBuildHasNone) {
    EXPECT_TRUE(read(compiled("extern \"C\" __global__ void k(int* p) { *p = 1; }\n", false)).all.empty());
}

TEST(Variables, DamagedSectionsAreAnError) {
    ptx::Module module = sample("language_debug.ptx");
    module.sections[".debug_info"] += "\n.b64 $L__nowhere1";
    try {
        read(module);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("$L__nowhere1"), std::string::npos) << error.what();
    }
}

TEST(Variables, AnyTruncationOfTheSectionsEndsInAnErrorOrLessVariables) {
    const ptx::Module whole = sample("language_debug.ptx");
    const size_t count = read(whole).all.size();
    const std::string& info = whole.sections.at(".debug_info");
    for (size_t cut = 0; cut < info.size(); cut += 997) {
        ptx::Module module = whole;
        module.sections[".debug_info"] = info.substr(0, info.rfind('\n', cut) + 1);
        try {
            EXPECT_LE(read(module).all.size(), count);
        } catch (const Error&) { continue; }
    }
}

}  // namespace
}  // namespace wl::variables
