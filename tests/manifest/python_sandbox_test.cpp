// What a reference in Python may not do, each tried by a script, with the sentence that says so.
#include "instrumentation/manifest/python.h"
#include "instrumentation/manifest/python_server.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;

const std::string kImports = "import os, resource, socket, tempfile, threading; import numpy as np\n";

struct PythonSandbox : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("warplens_sandbox_" + std::to_string(getpid()));
    fs::path home = folder / "home", own = folder / "own";
    fs::path before = fs::current_path();
    std::string old_home = std::getenv("HOME") ? std::getenv("HOME") : "/";
    Problem problem;

    void SetUp() override {
        fs::create_directories(home / ".ssh");
        fs::create_directories(own);
        std::ofstream(home / ".ssh/id_rsa") << "secret";
        std::ofstream(own / "data.txt") << "data";
        std::ofstream(own / "k.cu") << "";
        std::ofstream(own / "k.toml")
            << "args = [{ name = \"A\", dtype = \"f32\", shape = [2], fill = \"ones\" }]\n"
               "launch = { grid = [1], block = [1] }\n";
        fs::current_path(own);
        setenv("HOME", home.c_str(), 1);
        setenv("WARPLENS_PYTHON", WL_TEST_PYTHON, 1);
        problem = bind(load("k.toml"), {});
    }
    void TearDown() override {
        for (const char* name :
             {"WARPLENS_PYTHON", "WARPLENS_PYTHON_READ", "WARPLENS_PYTHON_SANDBOX", "WARPLENS_PYTHON_MEMORY"})
            unsetenv(name);
        setenv("HOME", old_home.c_str(), 1);
        fs::current_path(before);
        fs::remove_all(folder);
    }
    // The reference does this and returns `value`.
    PythonReference run(const std::string& does, const std::string& value = "1") {
        problem.python = std::make_shared<PythonServer>();
        std::ofstream("ref.py") << kImports + "HOME = '" + home.string() +
                "'\ndef reference(inputs, params):\n    " + does + "\n    return {'C': " + value + "}\n";
        return run_python_reference(problem, "ref.py", {.block = {}, .timeout = 20});
    }
    // Each of them, in one process: which were not refused.
    void expect_refused(const std::vector<std::string>& all) {
        std::string script =
            kImports + "HOME = '" + home.string() + "'\nTMP = os.environ['TMPDIR']\nDONE = []\n";
        for (size_t i = 0; i < all.size(); ++i)
            script += "try:\n    " + all[i] + "\n    DONE.append(" + std::to_string(i) +
                ")\nexcept (PermissionError, socket.gaierror):\n    pass\n";
        problem.python = std::make_shared<PythonServer>();
        std::ofstream("ref.py") << script +
                "def reference(inputs, params):\n    return {'done': np.array(DONE)}\n";
        const PythonReference reference =
            run_python_reference(problem, "ref.py", {.block = {}, .timeout = 60});
        ASSERT_EQ(reference.problem, "");
        for (int64_t i = 0; i < elements(reference.tensors.at(0).shape); ++i)
            ADD_FAILURE() << all[static_cast<size_t>(at(reference.tensors[0], i))] << " was done";
    }
};

TEST_F(PythonSandbox, WhatIsRefusedIsSaidInOneSentence) {
    const PythonReference reference = run("open(HOME + '/.ssh/id_rsa')");
    EXPECT_TRUE(reference.tensors.empty());
    EXPECT_TRUE(reference.problem.starts_with("ref.py:4: PermissionError")) << reference.problem;
    EXPECT_NE(
        reference.problem.find(
            "a reference may not use the network, start processes, write, or read beyond its own "
            "folder; WARPLENS_PYTHON_READ=FOLDER:... lets it read more"
        ),
        std::string::npos
    ) << reference.problem;
}

TEST_F(PythonSandbox, NoNetwork) {
    expect_refused(
        {"socket.create_connection(('127.0.0.1', 9))",
         "socket.socket(socket.AF_UNIX)",
         "socket.getaddrinfo('example.com', 80)"}
    );
}

TEST_F(PythonSandbox, NoFilesBeyondItsFolder) {
    expect_refused(
        {"open(HOME + '/.ssh/id_rsa')",
         "os.listdir(HOME)",
         "open('/proc/1/environ')",
         "open('/proc/self/root' + HOME + '/.ssh/id_rsa')",
         "open(os.path.dirname(HOME) + '/beside', 'w')"}
    );
    setenv("WARPLENS_PYTHON_READ", (home / ".ssh").c_str(), 1);
    EXPECT_EQ(
        run("text = open(HOME + '/.ssh/id_rsa').read() + open('data.txt').read()", "len(text)").problem, ""
    );
}

TEST_F(PythonSandbox, AScriptInTheHomeFolderReadsItsPythonAndArraysAlone) {
    setenv("HOME", own.c_str(), 1);
    std::ofstream("sibling.py") << "seven = 7\n";
    EXPECT_EQ(run("import sibling", "sibling.seven").problem, "");
    expect_refused({"open('data.txt')"});
}

TEST_F(PythonSandbox, NothingIsWrittenButTemporaryFiles) {
    expect_refused(
        {"open(HOME + '/.bashrc', 'w')",
         "open('data.txt', 'w')",
         "os.remove('data.txt')",
         "os.mkfifo(TMP + '/pipe')",
         "os.symlink('/etc/passwd', TMP + '/link')"}
    );
    EXPECT_EQ(run("tempfile.NamedTemporaryFile('w').write('x')").problem, "");
    EXPECT_EQ(fs::file_size("data.txt"), 4U);
}

TEST_F(PythonSandbox, NoProcessesAndNoSignalsToOthers) {
    expect_refused(
        {"os.fork()",
         "os.posix_spawn('/bin/true', ['true'], {})",
         "os.kill(os.getppid(), 9)",
         "os.kill(-1, 9)"}
    );
    EXPECT_EQ(
        run("t = threading.Thread(target=print); t.start(); t.join()",
            "np.ones((300, 300)) @ np.ones((300, 300))")
            .problem,
        ""
    );
}

TEST_F(PythonSandbox, MemoryEndsAtALimit) {
    const PythonReference reference = run("np.ones(10**14)");
    EXPECT_TRUE(reference.problem.starts_with("ref.py:4: MemoryError")) << reference.problem;
    EXPECT_NE(reference.problem.find("WARPLENS_PYTHON_MEMORY=MB allows more"), std::string::npos);
    setenv("WARPLENS_PYTHON_MEMORY", "3000", 1);
    const PythonReference less = run("np.ones(10**9)");
    EXPECT_NE(less.problem.find("a reference may take 3000 MB"), std::string::npos) << less.problem;
    EXPECT_NE(run("resource.setrlimit(resource.RLIMIT_AS, (-1, -1))").problem, "");
}

TEST_F(PythonSandbox, WhatTheSystemLacksIsSaid) {
    EXPECT_EQ(run("pass").open, "");
    fs::create_directories(own / "lacks");
    std::ofstream(own / "lacks/ctypes.py") << "raise ImportError\n";
    std::ofstream(own / "python") << "#!/bin/sh\nPYTHONPATH=" << (own / "lacks").string()
                                  << " exec " WL_TEST_PYTHON " \"$@\"\n";
    fs::permissions(own / "python", fs::perms::owner_all);
    setenv("WARPLENS_PYTHON", (own / "python").c_str(), 1);
    problem.python = std::make_shared<PythonServer>();
    std::ofstream("ref.py") << "import sys\ndef reference(inputs, params):\n    return {'C': 1}\n";
    const PythonReference reference = run_python_reference(problem, "ref.py");
    EXPECT_NE(reference.open.find("has no ctypes"), std::string::npos) << reference.open << reference.problem;
}

TEST_F(PythonSandbox, TheUserMayLiftIt) {
    setenv("WARPLENS_PYTHON_SANDBOX", "off", 1);
    const PythonReference reference = run("text = open(HOME + '/.ssh/id_rsa').read()", "len(text)");
    EXPECT_EQ(reference.problem, "");
    EXPECT_EQ(reference.open, "");
}

// Whoever asks reads the folder that the script writes to.
TEST_F(PythonSandbox, AnAnswerNamesFilesOfItsOwnFolderAlone) {
    fs::copy_file(own / "k.toml", home / "secret.npy");
    const PythonReference reference =
        run("folder = os.environ['TMPDIR']; open(folder + '/answer.json', 'w').write('{\"tensors\": {\"C\": "
            "\"../../home/secret.npy\"}}'); os.write(3, b'!'); threading.Event().wait(5)");
    EXPECT_TRUE(reference.tensors.empty());
    EXPECT_NE(reference.problem.find("is no name of a file"), std::string::npos) << reference.problem;
}

}  // namespace
}  // namespace wl::manifest
