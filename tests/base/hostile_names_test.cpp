// Names of files and folders that a shell would read as commands: every program that is started takes them
// for names. Each of them would write the file that $WL_PWNED names.
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/shell_word.h"
#include "tests/support/program.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace wl::test {
namespace {

namespace fs = std::filesystem;

const std::string kName = "-$(>$WL_PWNED)`>$WL_PWNED`\"';>$WL_PWNED|&<*?{}!# ,\\\n\xe9";

struct HostileNames : testing::Test {
    TemporaryFolder folder;
    std::string inside = folder.path + "/" + kName, pwned = folder.path + "/pwned";
    std::vector<std::string> environment{"WL_PWNED=" + pwned};

    void SetUp() override {
        fs::create_directories(inside + "/inc" + kName);
        fs::create_directories(inside + "/tmp" + kName);
        setenv("WL_PWNED", pwned.c_str(), 1);
    }
    void TearDown() override { EXPECT_FALSE(fs::exists(pwned)) << "a shell read a name"; }

    std::string script(const std::string& path, const std::string& text) const {
        write_file(path, "#!/bin/sh\n" + text);
        chmod(path.c_str(), 0755);
        return path;
    }
    // A kernel of which every file has such a name, with a reference in Python.
    std::string manifest() const {
        const std::string stem = inside + "/" + kName;
        write_file(inside + "/k.h", "#define SCALE 2.0f\n");
        write_file(
            stem + ".cu",
            "#include \"k.h\"\nextern \"C\" __global__ void twice(const float* in, float* out) {\n"
            "    out[threadIdx.x] = in[threadIdx.x] * SCALE;\n}\n"
        );
        write_file(
            inside + "/-k.py", "def reference(inputs, params): return {\"out\": inputs[\"in\"] * 2}\n"
        );
        write_file(
            stem + ".toml",
            "args = [\n  { name = \"in\", dtype = \"f32\", shape = [32], fill = \"normal\" },\n"
            "  { name = \"out\", dtype = \"f32\", shape = [32], output = true },\n]\n"
            "[launch]\ngrid = [1]\nblock = [32]\n[reference]\npython = \"-k.py\"\n"
        );
        return stem + ".toml";
    }
    // Of a script, run apart by what stands in `words`.
    Finished run(const std::vector<std::string>& words, const std::string& where) const {
        ProcessOptions options;
        options.folder = where;
        const fs::path path = fs::path(WL_PROGRAM).parent_path();
        options.environment = {
            {"PATH", path.string() + ":" + std::getenv("PATH")}
        };
        return run_process(words, folder.path + "/log", 60, options);
    }
};

TEST_F(HostileNames, AKernelRunsWithItsReference) {
    const std::string capture = inside + "/out" + kName + ".wlcap";
    const Said said = warplens({"run", manifest(), "-o", capture}, environment);
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_NE(said.out.find("out: 32 of 32 elements compared"), std::string::npos) << said.out;
    EXPECT_TRUE(fs::exists(capture));
}

// tar, ssh, and the shell on the other side.
TEST_F(HostileNames, AnotherMachineRunsIt) {
    const std::string ssh =
        script(folder.path + "/ssh", "while [ \"$1\" != -- ]; do shift; done\nexec sh -c \"$3\"\n");
    const std::string program =
        script(inside + "/warplens" + kName, fmt::format("exec {} \"$@\"\n", shell_word(WL_PROGRAM)));
    const std::string capture = inside + "/back" + kName + ".wlcap";
    const Said said = warplens(
        {"run", manifest(), "--host", "me@far", "--remote-warplens", program, "-o", capture},
        {environment[0], "WARPLENS_SSH=" + ssh}
    );
    EXPECT_EQ(said.status, 0) << said.out << said.err;
    EXPECT_TRUE(fs::exists(capture));
}

// Of a script that a broken connection cut short nothing is executed.
TEST_F(HostileNames, APartOfAScriptDoesNothing) {
    const std::string ssh =
        script(folder.path + "/ssh", "while [ \"$1\" != -- ]; do shift; done\nhead -c 300 | sh -c \"$3\"\n");
    const std::string there = folder.path + "/there";
    fs::create_directories(there);
    const Said said = warplens(
        {"run", manifest(), "--host", "me@far"}, {environment[0], "WARPLENS_SSH=" + ssh, "TMPDIR=" + there}
    );
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("the connection to me@far failed or broke"), std::string::npos) << said.err;
    EXPECT_TRUE(fs::is_empty(there));
}

TEST_F(HostileNames, AProgramGetsItsWords) {
    const std::string program =
        script(inside + "/program" + kName, "for word; do printf '%s|' \"$word\"; done\n");
    for (const char* verb : {"run", "record"}) {
        const Said said = warplens({verb, "--", program, kName, "$(>$WL_PWNED)", ""}, environment);
        EXPECT_TRUE(said.out.starts_with(kName + "|$(>$WL_PWNED)||")) << verb << said.out << said.err;
    }
}

TEST_F(HostileNames, AJobOfSlurmRunsIt) {
    const std::vector<std::string> words{"sweep", manifest(), "--slurm", "--parts", "1", "-o"};
    const auto script_for = [&](const std::string& keep) {
        std::vector<std::string> all = words;
        all.push_back(keep);
        return warplens(all, environment);
    };
    const Said refused = script_for(folder.path + "/out\n#SBATCH --wrap=x");
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("cannot name a folder with control characters"), std::string::npos)
        << refused.err;
    const std::string keep = folder.path + "/$(>$WL_PWNED)`>$WL_PWNED`' %a;";
    fs::create_directories(keep);
    std::string text = script_for(keep).out;
    EXPECT_NE(text.find("/$(>$WL_PWNED)`>$WL_PWNED`' %%a;/part-%a.log\"\n"), std::string::npos) << text;
    const size_t cd = text.find("\ncd ");  // to a folder that is gone by now
    text.erase(cd + 1, text.find('\n', cd + 1) - cd);
    write_file(folder.path + "/job.sh", text);
    setenv("SLURM_ARRAY_TASK_ID", "1", 1);
    const Finished done = run({"sh", folder.path + "/job.sh"}, folder.path);
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_TRUE(fs::exists(keep + "/part-1.json")) << done.output;
}

TEST_F(HostileNames, AServersScriptChecksIt) {
    manifest();
    const std::string check = source_path("ci/check.sh");
    const Finished done =
        run({"bash", check, "run", "-o" + kName, kName + ".toml", "--", "--search", "0"}, inside);
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_TRUE(fs::exists(inside + "/-o" + kName + "/" + kName + ".junit.xml")) << done.output;
}

TEST_F(HostileNames, NvccBuildsAProgram) {
    setenv("TMPDIR", (inside + "/tmp" + kName).c_str(), 1);
    write_file(inside + "/k.h", "#define SCALE 2.0f\n");
    write_file(inside + "/inc" + kName + "/lib.h", "#define LIB 3\n");
    const std::string source = kName + ".cu", program = inside + "/program" + kName;
    write_file(
        inside + "/" + source,
        "#include \"k.h\"\n#include <lib.h>\n#include <cstdio>\n"
        "__global__ void twice(float* x) { *x = SCALE * LIB; }\n"
        "int main() {\n    float *d, h = 0;\n    cudaMalloc(&d, 4);\n    twice<<<1, 1>>>(d);\n"
        "    cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost);\n    std::printf(\"%g\\n\", h);\n}\n"
    );
    const Finished built =
        run({WL_PROGRAM, "nvcc", "./" + source, "-I" + inside + "/inc" + kName, "-o", program}, inside);
    unsetenv("TMPDIR");
    ASSERT_EQ(built.status, 0) << built.output;
    const std::string printed = run({WL_PROGRAM, "run", "--", program}, inside).output;
    EXPECT_NE(printed.find("6\nlaunch 1: twice"), std::string::npos) << printed;
    const Finished refused = run({WL_PROGRAM, "nvcc", "-DX=$(>$WL_PWNED)", "./" + source, "-o", "x"}, inside);
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.output.find("nvcc would have a shell run what stands in"), std::string::npos)
        << refused.output;
}

// An empty element of LD_LIBRARY_PATH is the current folder, where this libc would be taken for the
// program's.
TEST_F(HostileNames, AnEmptyListOfLibrariesIsNotTheCurrentFolder) {
    write_file(inside + "/libc.so.6", "no library");
    for (const char* verb : {"run", "record"})
        for (const char* list : {"LD_LIBRARY_PATH=", "LD_AUDIT=", "LD_PRELOAD="}) {
            const Finished done = run({"env", list, WL_PROGRAM, verb, "--", "/bin/echo", "ran"}, inside);
            EXPECT_TRUE(done.output.starts_with("ran\n")) << verb << " " << list << " " << done.output;
        }
}

}  // namespace
}  // namespace wl::test
