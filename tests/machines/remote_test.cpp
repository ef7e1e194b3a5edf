// `--host` against a real sshd on this machine: one that the test starts, with keys of its own.
#include "instrumentation/capture/file.h"
#include "tests/support/program.h"
#include "tests/support/sshd.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace wl::test {
namespace {

namespace fs = std::filesystem;

class Remote : public testing::Test {
protected:
    SshDaemon daemon;
    TemporaryFolder folder;
    std::string host, ssh;

    void SetUp() override {
        if (!fs::exists(kSshDaemon))
            GTEST_SKIP() << "there is no " << kSshDaemon << " (Debian: openssh-server)";
        ASSERT_TRUE(start(daemon));
        host = daemon.user + "@127.0.0.1", ssh = daemon.environment;
        write_kernel();
    }

    // A kernel whose source, header, reference and input lie in folders of their own.
    void write_kernel() {
        const std::string f = folder.path + "/mine";
        for (const char* part : {"/k", "/inc", "/data"}) fs::create_directories(f + part);
        write_file(f + "/inc/scale.h", "#pragma once\n#define SCALE 2.0f\n");
        write_file(
            f + "/k/twice.cu",
            "#include \"scale.h\"\nextern \"C\" __global__ void twice(const float* in, float* out) {\n"
            "    out[threadIdx.x] = in[threadIdx.x] * SCALE;\n}\n"
        );
        write_file(
            f + "/k/twice.py",
            "import factor\ndef reference(inputs, params): return {\"out\": inputs[\"in\"] * factor.two}\n"
        );
        write_file(f + "/k/factor.py", "two = 2.0\n");
        write_file(
            f + "/k/twice.toml",
            "include = [\"../inc\"]\nargs = [\n"
            "  { name = \"in\", dtype = \"f32\", shape = [32], fill = \"../data/in.npy\" },\n"
            "  { name = \"out\", dtype = \"f32\", shape = [32], output = true },\n]\n"
            "[launch]\ngrid = [1]\nblock = [32]\n[reference]\npython = \"twice.py\"\n"
        );
        std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (32,), }";
        header.resize(117, ' ');
        std::string npy = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
        for (int k = 0; k < 32; ++k) {
            const auto value = static_cast<float>(k);
            npy.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
        write_file(f + "/data/in.npy", npy);
    }

    std::string script(const std::string& text) {
        std::string path = folder.path + "/remote.sh";
        write_file(path, "#!/bin/sh\n" + text);
        chmod(path.c_str(), 0755);
        return path;
    }

    Said run(const std::string& program, std::vector<std::string> more = {}) {
        std::vector<std::string> words = {
            "run", folder.path + "/mine/k/twice.toml", "--host", host, "--remote-warplens", program};
        words.insert(words.end(), more.begin(), more.end());
        return warplens(words, {ssh});
    }
};

TEST_F(Remote, TheCaptureAndTheAnswerComeBack) {
    const std::string file = folder.path + "/back.wlcap";
    // Nothing of the kernel lies where the other side could find it but in what was uploaded.
    const std::string program =
        script(fmt::format("pwd >{0}/where\nexec {1} \"$@\"\n", folder.path, WL_PROGRAM));
    const Said said = run(program, {"-o", file});
    EXPECT_EQ(said.status, 0) << said.out << said.err << read_file(daemon.folder.path + "/sshd.log");
    EXPECT_NE(said.out.find("out: 32 of 32 elements compared"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("capture: " + file + "\n"), std::string::npos) << said.out;
    const capture::Capture c = capture::read_capture(file);
    EXPECT_EQ(c.verdict, "ok");
    EXPECT_EQ(c.outputs.at(0).max_difference, 0);
    std::string where = read_file(folder.path + "/where");
    where.pop_back();
    EXPECT_NE(where.find("/warplens-remote-"), std::string::npos) << where;
    EXPECT_FALSE(fs::exists(where)) << "the folder over there is gone";
}

TEST_F(Remote, FindingsAndJsonAreThoseOfTheOtherMachine) {
    write_file(folder.path + "/mine/inc/scale.h", "#pragma once\n#define SCALE 3.0f\n");
    const Said said = run(WL_PROGRAM, {"--json", "-o", folder.path + "/back.wlcap"});
    EXPECT_EQ(said.status, 1) << said.err;
    EXPECT_EQ(said.out.find("{\n"), 0u) << said.out;
    EXPECT_NE(said.out.find("\"verdict\": \"findings\""), std::string::npos);
}

TEST_F(Remote, TheWindowRunsThereToo) {
    const std::string picture = folder.path + "/window.png";
    const Said said = warplens(
        {"open",
         folder.path + "/mine/k/twice.toml",
         "--host",
         host,
         "--remote-warplens",
         script(fmt::format("touch {0}/ran\nexec {1} \"$@\"\n", folder.path, WL_PROGRAM)),
         "--screenshot",
         picture},
        {ssh}
    );
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_TRUE(fs::exists(picture));
    EXPECT_TRUE(fs::exists(folder.path + "/ran"));
}

TEST_F(Remote, ALinkThatBreaksIsOneSentenceAndNothingStays) {
    const std::string program = script(fmt::format(
        "pwd >{}/where\necho 'progress run 0.250' >&2\nread -r a b c parent rest </proc/$PPID/stat\n"
        "kill -9 \"$parent\"\nsleep 100\n",
        folder.path
    ));
    const Said said = run(program, {"-o", folder.path + "/back.wlcap"});
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(
        said.err.find("the connection to " + host + " failed or broke before the run was over"),
        std::string::npos
    ) << said.err;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
    EXPECT_FALSE(fs::exists(folder.path + "/back.wlcap"));
    std::string where = read_file(folder.path + "/where");
    where.pop_back();
    EXPECT_TRUE(waited([&] { return !fs::exists(where); })) << where << " is still there";
}

TEST_F(Remote, WhatIsMissingThereIsSaid) {
    const Said program = run("/nowhere/warplens");
    EXPECT_EQ(program.status, 2);
    EXPECT_NE(program.err.find("has no program /nowhere/warplens"), std::string::npos) << program.err;
    const Said machine = warplens(
        {"run", folder.path + "/mine/k/twice.toml", "--host", "nobody@127.0.0.1"}, {ssh + " -o Port=1"}
    );
    EXPECT_EQ(machine.status, 2);
    EXPECT_EQ(std::count(machine.err.begin(), machine.err.end(), '\n'), 1) << machine.err;
}

// The run bar has the machine: what is started from it runs there again, and here once the field is empty. An
// ssh that is a script says who was asked.
TEST(RemoteWindow, TheRunBarSaysWhere) {
    const TemporaryFolder folder;
    const auto in = [&](const char* name) { return folder.path + "/" + name; };
    write_file(
        in("ssh"),
        fmt::format(
            "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\necho \"$2\" >>{}\nexec sh -c \"$3\"\n",
            in("asked")
        )
    );
    chmod(in("ssh").c_str(), 0755);
    write_file(
        in("play.txt"),
        "until captures 1\nuntil worker none\nclick run/start\nuntil captures 2\nuntil worker none\n"
        "click run/host\nkey Delete\nclick run/start\nuntil captures 3\nuntil worker none\n"
        "click run/host\ntype me@near\nclick run/start\nuntil captures 4\nwait 3\nshot " +
            in("window.png") + "\n"
    );
    const Said said = warplens(
        {"open",
         source_path("tests/kernels/owners.toml"),
         "--host",
         "me@far",
         "--remote-warplens",
         WL_PROGRAM,
         "--script",
         in("play.txt"),
         "--screenshot",
         in("end.png")},
        {"WARPLENS_SSH=" + in("ssh")}
    );
    EXPECT_EQ(said.status, 0) << said.err;
    EXPECT_EQ(read_file(in("asked")), "me@far\nme@far\nme@near\n");
    EXPECT_TRUE(fs::exists(in("window.png")));
}

}  // namespace
}  // namespace wl::test
