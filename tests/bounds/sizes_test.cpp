// Sizes that a file or the user claims: looked at before memory is taken for them, and said in one sentence.
#include "tests/support/program.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace wl::test {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kReturn =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 x) { ret; }\n";

struct Sizes : testing::Test {
    TemporaryFolder folder;
    std::string toml = folder.path + "/k.toml";

    void SetUp() override { write_file(folder.path + "/k.ptx", kReturn); }
    void describe(const std::string& shape, const std::string& launch, const std::string& more = "") const {
        write_file(
            toml,
            "source = \"k.ptx\"\nargs = [ { name = \"x\", dtype = \"f32\", shape = [" + shape +
                "], fill = \"zeros\", output = true } ]\nlaunch = " + launch +
                "\noutput.x = { compare = false }\n" + more
        );
    }
    Said run() const { return warplens({"run", toml, "-o", folder.path + "/c.wlcap"}); }
    // With so many MiB of address space.
    Said run_within(int mebibytes) const {
        const std::string said = folder.path + "/said";
        const std::string command = "ulimit -v " + std::to_string(mebibytes * 1024) + "; exec '" +
            WL_PROGRAM + "' run '" + toml + "' -o '" + folder.path + "/c.wlcap' >'" + said + "' 2>&1";
        const pid_t child = fork();
        if (child == 0) execl("/bin/sh", "sh", "-c", command.c_str(), nullptr), _exit(127);
        int status = 0;
        waitpid(child, &status, 0);
        return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), "", read_file(said)};
    }
};

TEST_F(Sizes, AGridThatNoMemoryHoldsIsSaidSo) {
    describe("64", "{ grid = [2147483647, 65535, 65535], block = [32] }");
    const Said said = run();
    EXPECT_EQ(said.status, 2);
    EXPECT_TRUE(has(said.err, "error: a grid of 9223090559730712575 blocks needs ")) << said.err;
    describe("64", "{ grid = [3, 2, 2], block = [32] }");
    EXPECT_EQ(run().status, 0);
}

TEST_F(Sizes, SmallMemoryIsSaidInOneSentence) {
    describe("10000000", "{ grid = [1], block = [32] }");  // 40 MB, several times
    Said said = run_within(150);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_TRUE(has(said.err, "error: there is not enough memory for this (")) << said.err;
    EXPECT_FALSE(has(said.err, "bad_alloc") || has(said.err, "vector::")) << said.err;
    describe("1000000000", "{ grid = [1], block = [32] }");
    said = run_within(1500);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_TRUE(has(said.err, "with the shape (1000000000,) the arrays do not fit")) << said.err;
    describe("64", "{ grid = [200000000], block = [32] }");
    said = run_within(1500);
    EXPECT_EQ(said.status, 2) << said.err;
    EXPECT_TRUE(has(said.err, "a grid of 200000000 blocks needs ")) << said.err;
    describe("64", "{ grid = [20], block = [32] }");
    said = run_within(1500);
    EXPECT_EQ(said.status, 0) << said.err;
}

TEST_F(Sizes, ShapesBeyondAllNumbersAreRefused) {
    describe("1000000000, 1000000000, 1000000000", "{ grid = [1], block = [32] }");
    const Said said = run();
    EXPECT_EQ(said.status, 2);
    EXPECT_TRUE(has(said.err, "the arrays do not fit into this machine's")) << said.err;
}

std::string repeated(const std::string& text, int times) {
    std::string out;
    for (int k = 0; k < times; ++k) out += text;
    return out;
}

TEST_F(Sizes, AManifestThatNestsWithoutEndIsRefusedBeforeItIsParsed) {
    constexpr int kMany = 40'000;
    const std::string launch = "{ grid = [1], block = [32] }";
    for (const std::string& deep :
         {repeated("a.", kMany) + "b = 1\n",
          "[" + repeated("a.", kMany) + "b]\n",
          "[" + repeated(R"("a" . )", kMany) + "b]\n",
          R"(z = ["""x"""", {)" + repeated("a.", kMany) + "b = 1}]\n"}) {
        describe("64", launch, deep);
        const Said said = run();
        EXPECT_EQ(said.status, 2) << deep.substr(0, 40);
        EXPECT_TRUE(has(said.err, "k.toml:5: a key has more than 16 parts.")) << said.err.substr(0, 300);
    }
    for (const std::string& deep :
         {"z = " + repeated("[", kMany) + repeated("]", kMany) + "\n",
          "z = " + repeated("{a = ", kMany) + "1" + repeated("}", kMany) + "\n"}) {
        describe("64", launch, deep);
        const Said said = run();
        EXPECT_EQ(said.status, 2);
        EXPECT_TRUE(has(said.err, "k.toml:5: brackets nest more than 32 deep.")) << said.err.substr(0, 300);
    }
    // What only looks so.
    describe(
        "64",
        launch,
        "# " + repeated("a.", 100) + repeated("[", 100) + "\n[params]\nA = \"0.5 + 0.25\"\nB = '" +
            repeated("(", 40) + "1" + repeated(")", 40) + "'\n"
    );
    const Said said = run();
    EXPECT_EQ(said.status, 0) << said.err;
}

std::string part(const std::string& cases, const std::string& part) {
    return R"({"sweep":"s","cases":)" + cases + R"(,"part":)" + part + R"(,"lost":[],"runs":[]})";
}

// Patterns of the standard library take a stack frame a character.
TEST_F(Sizes, ALineOfAnyLengthIsNoReasonToCrash) {
    const std::string much(1'000'000, 'a'), include = "#if 0\n#include \"" + much + "\"\n#endif\n";
    write_file(
        folder.path + "/k.cu", include + "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] = 1; }\n"
    );
    write_file(
        folder.path + "/k.py",
        "def reference(inputs, params):\n    return {\"x\": inputs[\"x\"] + 1}\n    import " + much + "\n"
    );
    write_file(
        toml,
        "args = [ { name = \"x\", dtype = \"f32\", shape = [32], fill = \"zeros\", output = true } ]\n"
        "launch = { grid = [1], block = [32] }\nreference = { python = \"k.py\" }\n"
    );
    const Said said = run();
    EXPECT_EQ(said.status, 0) << said.status << said.err;
    const std::string word(100'000, '1');
    EXPECT_EQ(warplens({"run", toml, "--budget", word + "x"}).status, 2);
    EXPECT_EQ(warplens({"run", toml, "--try", word}).status, 2);
    EXPECT_EQ(
        warplens({"init", folder.path + "/k.cu", "-o", folder.path + "/o.toml", "-D", "N=0." + word}).status,
        0
    );
}

TEST_F(Sizes, PartsOfASweepThatClaimMoreThanTheyHoldAreRefused) {
    const std::string file = folder.path + "/p.json";
    write_file(file, part("1000000000000000000", "[1,2]"));
    Said said = warplens({"sweep", "--merge", file});
    EXPECT_EQ(said.status, 2);
    EXPECT_TRUE(
        has(said.err, "is part 1 of 2 of 1000000000000000000 runs, which are 500000000000000000; it has 0")
    ) << said.err;
    write_file(file, part("0", "[1,2000000000]"));
    said = warplens({"sweep", "--merge", file});
    EXPECT_EQ(said.status, 2);
    EXPECT_TRUE(has(said.err, "and at most 1000000 are merged")) << said.err;
}

TEST_F(Sizes, AnArchiveOfArraysIsBoundedBeforeItIsUnpacked) {
    const std::string python = WL_PYTHON, npz = folder.path + "/x.npz";
    ASSERT_EQ(
        system((python + " -c 'import numpy as n; n.savez_compressed(\"" + npz +
                "\", x=n.zeros(1000000, n.float32))'")
                   .c_str()),
        0
    );
    describe("1000000", "{ grid = [1], block = [32] }");
    const auto with = [&](const char* limit) {
        return warplens(
            {"run", toml, "--inputs", npz, "-o", folder.path + "/c.wlcap"},
            {std::string("WARPLENS_UNPACK=") + limit}
        );
    };
    const Said refused = with("2M");
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(has(refused.err, "x.npz: member x.npy would unpack to 4.0 MB, more than 2.0 MB"))
        << refused.err;
    EXPECT_EQ(with("5M").status, 0);
    EXPECT_TRUE(has(with("ten").err, "WARPLENS_UNPACK=ten is no number of bytes, such as 20G."));
}

TEST_F(Sizes, AUserMayGiveLessMemoryThanThereIs) {
    describe("10000000", "{ grid = [1], block = [32] }");
    const auto with = [&](const char* limit) {
        return warplens(
            {"run", toml, "-o", folder.path + "/c.wlcap"}, {std::string("WARPLENS_MEMORY=") + limit}
        );
    };
    const Said refused = with("20M");
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(has(refused.err, "the arrays do not fit into this machine's 20.0 MB of memory."))
        << refused.err;
    EXPECT_EQ(with("4G").status, 0);
    EXPECT_TRUE(has(with("much").err, "WARPLENS_MEMORY=much is no number of bytes, such as 20G."));
}

}  // namespace
}  // namespace wl::test
