// `warplens init --run -- PROGRAM`: manifests of a program's launches with their real sizes and inputs.
// Skipped where there is no nvcc.
#include "tests/runtime/compiled.h"

#include <gtest/gtest.h>

namespace wl::test {
namespace {

namespace fs = std::filesystem;

struct InitProgram : testing::Test {
    static TemporaryFolder* folder;
    static Said described;  // of all kernels, into "all"

    static std::string at(const std::string& name) { return folder->path + "/" + name; }
    static Said init(const std::string& out, std::vector<std::string> more = {}) {
        std::vector<std::string> words{"init", "--run", "-o", at(out)};
        words.insert(words.end(), more.begin(), more.end());
        words.insert(words.end(), {"--", at("described"), "100"});
        return warplens(words);
    }
    static void SetUpTestSuite() {
        folder = new TemporaryFolder;
        if (compiled(folder->path, "described")) described = init("all");
    }
    static void TearDownTestSuite() { delete folder; }
    void SetUp() override {
        if (!fs::exists(at("described"))) GTEST_SKIP() << "no nvcc: " << read_file(at("said"));
    }

    static std::string manifest(const std::string& name) { return read_file(at(name + ".toml")); }
    static Said run(const std::string& name) {
        return warplens({"run", at(name + ".toml"), "-o", at("out.wlcap")});
    }
    // Run with a reference that returns this dict.
    static Said run_against(const std::string& name, const std::string& answer) {
        const std::string python = read_file(at(name + ".py"));
        write_file(at(name + ".py"), python.substr(0, python.rfind("return {}")) + "return " + answer + "\n");
        const Said said = run(name);
        write_file(at(name + ".py"), python);
        return said;
    }
};
TemporaryFolder* InitProgram::folder = nullptr;
Said InitProgram::described;

void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        EXPECT_TRUE(has(text, word)) << "missing: " << word << "\nin: " << text;
}

TEST_F(InitProgram, EveryKernelBecomesAManifestWithWhatTheLaunchHad) {
    EXPECT_EQ(described.status, 3) << "one kernel cannot be described: " << described.out << described.err;
    expect_words(
        described.out,
        {"scale.toml: scale(float const*, float*, double*, int, float, bool), launch 1, grid 4x1x1, block "
         "32x1x1; outputs y, z",
         "left to do:",
         "into [reference] of",
         "What the program's own launch left is no reference"}
    );
    expect_words(
        manifest("all/scale"),
        {"source = \"described.ptx\"\n",
         R"({ name = "x", dtype = "f32", shape = [100], fill = "scale.x.npy" })",
         R"({ name = "y", dtype = "f32", shape = [100], output = true })",
         R"({ name = "z", dtype = "f64", shape = [100], fill = "zeros", output = true })",
         "the launch left 400 of its 800 bytes unwritten",
         R"({ name = "n", dtype = "s32", value = 100 })",
         R"({ name = "factor", dtype = "f32", value = 0.1 })",
         R"({ name = "twice", dtype = "u8", value = 1 })",
         "[launch]\ngrid = [4]\nblock = [32]\nshared = 128\n"}
    );
    EXPECT_FALSE(has(manifest("all/scale"), "assumed"));
}

// What the program computed is compared with nothing: it may be wrong.
TEST_F(InitProgram, NothingIsOkBeforeThereIsAReference) {
    for (const char* name :
         {"scale", "claim", "by_value", "halves", "table", "filter", "step", "read_only", "fill", "fill_2"}) {
        const Said said = run(std::string("all/") + name);
        EXPECT_EQ(said.status, 3) << name << "\n" << said.out << said.err;
        expect_words(said.out, {"incomplete: no findings"});
    }
    expect_words(manifest("all/read_only"), {"assumed = [\"args\"]"});
}

TEST_F(InitProgram, AReferenceDecides) {
    const std::string half = "'z': np.where(np.arange(100) < 50, np.arange(100), 0)}";
    const Said right = run_against("all/scale", "{'y': x * 0.2, " + half);
    EXPECT_EQ(right.status, 0) << right.out << right.err;
    expect_words(right.out, {"output y: ok; 100 of 100 elements compared"});
    EXPECT_EQ(run_against("all/scale", "{'y': x * 0.2 + 0.01, " + half).status, 1);
    EXPECT_EQ(run_against("all/by_value", "{'shape_data': inputs['shape_data'] * 2 + 1.5}").status, 0);
    EXPECT_EQ(run_against("all/halves", "{'low': np.r_[low[:100], low[:100] + 1]}").status, 0);
    EXPECT_EQ(run_against("all/halves", "{'low': low}").status, 1);
    EXPECT_EQ(run_against("all/table", "{'rows_2': inputs['rows_0'] - 1}").status, 0);
    EXPECT_EQ(run_against("all/filter", "{'out': 0.5 * inputs['in'] + 7}").status, 0);
    EXPECT_EQ(run_against("all/filter", "{'out': 0.5 * inputs['in']}").status, 1);
    EXPECT_EQ(run_against("all/fill_2", "{'p': np.r_[np.full(100, 3), p[100:]]}").status, 0);
}

// An exchange that did not succeed could have, and a store that was not reached could be.
TEST_F(InitProgram, WhatTheKernelCouldWriteIsAnOutput) {
    expect_words(
        manifest("all/claim"),
        {R"({ name = "slots", dtype = "s32", shape = [100], fill = "claim.slots.npy", output = true })",
         "[output.slots]"}
    );
    expect_words(
        manifest("all/guarded"),
        {R"({ name = "error", dtype = "s32", shape = [100], fill = "guarded.error.npy", output = true })"}
    );
    EXPECT_EQ(run_against("all/claim", "{'slots': slots}").status, 0);
    EXPECT_EQ(run_against("all/claim", "{'slots': slots + 1}").status, 1);
}

TEST_F(InitProgram, StructsViewsTablesAndVariables) {
    expect_words(
        manifest("all/by_value"),
        {R"({ name = "shape", fields = [{ name = "data", view = "shape_data", at = 0 }, { name = "n", dtype = "s32", value = 100 }, )",
         R"({ name = "not_a_number", bytes = "000000000000f)",
         R"({ name = "large", bytes = "ffffffffffffffff", align = 8 })",
         R"({ name = "color", dtype = "float4", value = [1, 2, 3, 0.5] })",
         R"({ name = "shape_data", dtype = "f32", shape = [100])"}
    );
    expect_words(
        manifest("all/halves"),
        {R"({ name = "low", dtype = "s32", shape = [200], fill = "halves.low.npy", output = true })",
         R"({ name = "high", view = "low", at = 400 })"}
    );
    expect_words(
        manifest("all/table"),
        {R"({ name = "rows", pointers = ["rows_0", "null", "rows_2"] })", R"(args = ["rows", "n"])"}
    );
    expect_words(
        manifest("all/filter"),
        {"[symbol.\"taps\"]\ndtype = \"u8\"\nshape = [12]\nfill = \"filter.taps.npy\"\n",
         "the launch writes to the variable calls, which is no output"}
    );
}

TEST_F(InitProgram, WhatAManifestCannotSayIsRefusedByName) {
    expect_words(
        described.out,
        {"not described: list, launch 6: head holds addresses among other data (byte 0 is that of "
         "allocation "}
    );
    EXPECT_FALSE(fs::exists(at("all/list.toml")));
}

TEST_F(InitProgram, ASequenceHasItsLaunchesInOrder) {
    const Said said = init("steps", {"--launch", "8-10"});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    const std::string name = "steps/described-8-10";
    expect_words(
        manifest(name),
        {R"(args = ["from", "to", { name = "n", dtype = "s32", value = 100 }])",
         R"(args = ["to", "from", { name = "n", dtype = "s32", value = 100 }])"}
    );
    const std::string
        right = "{'to': step(step(step(x))), 'from': step(step(x))}\nstep = lambda v: v + np.roll(v, -1)\n",
        start = "x = inputs['from']\n    ";
    const std::string python = read_file(at(name + ".py"));
    const auto with = [&](const std::string& answer) {
        write_file(
            at(name + ".py"), python.substr(0, python.rfind("return {}")) + start + "return " + answer
        );
        return run(name).status;
    };
    EXPECT_EQ(run(name).status, 3);
    EXPECT_EQ(with(right), 0);
    EXPECT_EQ(with("{'to': x, 'from': x}\n"), 1);
    const Said broken = init("broken", {"--launch", "10-11"});
    EXPECT_EQ(broken.status, 3) << broken.out;
    expect_words(
        broken.out,
        {"step, launch 11: between this launch and the one before the program changed to: a sequence"}
    );
}

TEST_F(InitProgram, ChosenLaunches) {
    const Said third = init("third", {"--launch", "10"});
    EXPECT_EQ(third.status, 0) << third.err;
    expect_words(third.out, {"step.toml: step(float const*, float*, int), launch 10"});
    const Said named = init("named", {"--launch", "filter"});
    expect_words(named.out, {"filter.toml: filter("});
    EXPECT_FALSE(fs::exists(at("named/scale.toml")));
    const Said none = init("none", {"--launch", "77"});
    EXPECT_EQ(none.status, 2);
    expect_words(none.err, {"made no launch 77"});
    EXPECT_FALSE(fs::exists(at("none")));
    const Said all = init("every", {"--launch", "all"});
    EXPECT_TRUE(fs::exists(at("every/step-8.toml")) && fs::exists(at("every/step-11.toml"))) << all.out;
    const Said again = init("third", {"--launch", "10"});
    EXPECT_EQ(again.status, 2);
    expect_words(again.err, {"is there already; --force writes over it"});
    EXPECT_EQ(init("third", {"--launch", "10", "--force"}).status, 0);
}

TEST_F(InitProgram, ASourceIsNamedWhereItHasTheKernel) {
    const std::string source = source_path("tests/runtime/described.cu");
    const Said said = init("sourced", {source, "--launch", "halves"});
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    const std::string text = manifest("sourced/halves");
    expect_words(text, {"/described.cu\"\nentry = \"halves\"\n"});
    EXPECT_EQ(run_against("sourced/halves", "{'low': np.r_[low[:100], low[:100] + 1]}").status, 0);
    write_file(at("other.cu"), "__global__ void other(int* p) { *p = 1; }\n");
    const Said other = init("other", {at("other.cu"), "--launch", "halves"});
    EXPECT_EQ(other.status, 0) << other.err;
    expect_words(other.out, {"other.cu has no such kernel", "the source is the program's PTX"});
    expect_words(manifest("other/halves"), {"source = \"described.ptx\""});
}

TEST(InitProgramWords, WhatGoesTogetherIsSaid) {
    expect_words(warplens({"init", "--run"}).err, {"--run needs the program after --"});
    expect_words(warplens({"init", "x.cu", "--launch", "3"}).err, {"it goes with --run -- PROGRAM"});
    expect_words(warplens({"init"}).err, {"init takes a .cu or a .ptx, or --run -- PROGRAM"});
}

}  // namespace
}  // namespace wl::test
