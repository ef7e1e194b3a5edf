// References in Python: what goes in, what comes back, and a sentence for everything that can go wrong.
#include "instrumentation/base/error.h"
#include "instrumentation/manifest/python.h"
#include "instrumentation/manifest/python_server.h"

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;

struct PythonReferences : testing::Test {
    fs::path folder = fs::temp_directory_path() / ("warplens_python_" + std::to_string(getpid()));
    fs::path before = fs::current_path();
    std::string old_python = std::getenv("WARPLENS_PYTHON") ? std::getenv("WARPLENS_PYTHON") : "";
    Problem problem;

    void SetUp() override {
        fs::create_directories(folder);
        fs::current_path(folder);
        setenv("WARPLENS_PYTHON", WL_TEST_PYTHON, 1);
        std::ofstream("k.cu") << "";
        std::ofstream("k.toml") << R"text(args = [
  { name = "A", dtype = "f16", shape = ["M", 3], fill = "coordinates" },
  { name = "X", dtype = "bf16", shape = [1], fill = "uniform(0.1, 0.1)" },
  { name = "C", dtype = "f32", shape = ["M"], output = true },
  { name = "alpha", dtype = "f16", value = 0.1 },
  { name = "count", dtype = "s64", value = 5 },
  { name = "order", dtype = "u16", shape = ["M"], fill = "permutation" },
  { name = "p", fields = [ { name = "stride", dtype = "s32", value = 7 } ] },
]
params = { M = 2, half = 0.5 }
launch = { grid = [1], block = [1] }
)text";
        problem = bind(load("k.toml"), {});
    }
    void TearDown() override {
        old_python.empty() ? unsetenv("WARPLENS_PYTHON") : setenv("WARPLENS_PYTHON", old_python.c_str(), 1);
        fs::current_path(before);
        fs::remove_all(folder);
    }
    PythonReference run(const std::string& script, const PythonOptions& options = {}) {
        std::ofstream("ref.py") << script;
        return run_python_reference(problem, "ref.py", options);
    }
    static const Tensor& named(const PythonReference& reference, const std::string& name) {
        for (const Tensor& tensor : reference.tensors)
            if (tensor.name == name) return tensor;
        throw Error("no tensor " + name + ": " + reference.problem);
    }
};

TEST_F(PythonReferences, ArraysComeBackByNameInFloat64) {
    const PythonReference reference = run(R"text(
import numpy as np
def reference(inputs, params):
    a = inputs["A"]
    assert a.dtype == np.float64 and a.shape == (2, 3)
    return {"C": a.sum(axis=1), "C.scale": abs(a).sum(axis=1), "t": a.T, "scalar": np.float32(4), "mask": a > 2}
)text");
    ASSERT_EQ(reference.problem, "");
    EXPECT_EQ(reference.tensors.size(), 5u);
    const Tensor& c = named(reference, "C");
    EXPECT_EQ(c.dtype, DType::f64);
    EXPECT_EQ(c.shape, (std::vector<int64_t>{2}));
    EXPECT_EQ(at(c, 0), 0 + 1 + 2);
    EXPECT_EQ(at(c, 1), 3 + 4 + 5);
    const Tensor& t = named(reference, "t");
    EXPECT_EQ(t.shape, (std::vector<int64_t>{3, 2}));
    EXPECT_EQ(at(t, 1), 3) << "a transposed view arrives transposed";
    EXPECT_TRUE(named(reference, "scalar").shape.empty());
    EXPECT_EQ(at(named(reference, "mask"), 3), 1);
}

TEST_F(PythonReferences, InputsAreWhatTheKernelGot) {
    const PythonReference reference = run(R"text(
import numpy as np
def reference(inputs, params):
    assert params == {"M": 2, "half": 0.5} and type(params["M"]) is int
    assert np.isnan(inputs["C"]).all()
    assert inputs["count"] == 5 and inputs["count"].dtype == np.int64 and inputs["alpha"].dtype == np.float64
    return {"x": inputs["X"], "alpha": inputs["alpha"], "stride": inputs["p"]["stride"]}
)text");
    ASSERT_EQ(reference.problem, "");
    EXPECT_EQ(at(named(reference, "x"), 0), 0.10009765625) << "0.1 in bf16";
    EXPECT_EQ(at(named(reference, "alpha"), 0), 0.0999755859375) << "0.1 in f16";
    EXPECT_EQ(at(named(reference, "stride"), 0), 7);
}

TEST_F(PythonReferences, IntegersStayWholeAndAreIndices) {
    const PythonReference reference = run(R"text(
import numpy as np
def reference(inputs, params):
    order = inputs["order"]
    assert order.dtype == np.int64
    return {"rows": inputs["A"][order], "order": order, "steps": list(range(inputs["p"]["stride"]))}
)text");
    ASSERT_EQ(reference.problem, "");
    EXPECT_EQ(at(named(reference, "rows"), 0), 3 * at(named(reference, "order"), 0));
    EXPECT_EQ(elements(named(reference, "steps").shape), 7);
}

TEST_F(PythonReferences, ABlockIsHandedOnToThoseWhoAskForIt) {
    const std::string script =
        "def reference(inputs, params, block=None):\n    return {'b': [-1, -1, -1] if block is None else "
        "block}\n";
    EXPECT_EQ(at(named(run(script), "b"), 0), -1);
    const PythonReference reference =
        run(script,
            {
                Dim3{4, 5, 6},
                60
    });
    EXPECT_EQ(at(named(reference, "b"), 0), 4);
    EXPECT_EQ(at(named(reference, "b"), 2), 6);
    EXPECT_EQ(
        run("def reference(inputs, params):\n    return {'b': 1}\n",
            {
                Dim3{4, 5, 6},
                60
    })
            .problem,
        ""
    );
}

TEST_F(PythonReferences, AnExceptionShowsTheUsersLine) {
    const PythonReference reference =
        run("import numpy as np\n\ndef square(a):\n    return a @ a\n\ndef reference(inputs, params):\n    "
            "return {'C': square(inputs['A'])}\n");
    EXPECT_TRUE(reference.tensors.empty());
    EXPECT_TRUE(reference.problem.starts_with("ref.py:4: ValueError in the Python reference\n"))
        << reference.problem;
    EXPECT_NE(reference.problem.find("  File \"ref.py\", line 7, in reference\n"), std::string::npos)
        << reference.problem;
    EXPECT_NE(reference.problem.find("    return a @ a\n"), std::string::npos);
    EXPECT_NE(reference.problem.find("\nValueError: matmul"), std::string::npos);
    EXPECT_EQ(reference.problem.find("driver.py"), std::string::npos) << "our own frames are no help";
}

TEST_F(PythonReferences, ASyntaxErrorShowsTheUsersLine) {
    const PythonReference reference = run("def reference(inputs, params):\n    return {'C': (1}\n");
    EXPECT_TRUE(reference.problem.starts_with("ref.py:2: SyntaxError in the Python reference\n"))
        << reference.problem;
    EXPECT_EQ(reference.problem.find("runpy"), std::string::npos) << reference.problem;
}

TEST_F(PythonReferences, WrongResultsAreNamed) {
    EXPECT_EQ(run("x = 1\n").problem, "ref.py defines no function reference(inputs, params)");
    EXPECT_EQ(
        run("def reference(inputs, params):\n    return 3\n").problem,
        "reference() in ref.py returned a int, not a dict of arrays by name"
    );
    EXPECT_EQ(
        run("def reference(inputs, params):\n    return {'C': 'text'}\n").problem,
        "reference() in ref.py returned under 'C' no array of real numbers"
    );
    EXPECT_EQ(
        run("def reference(inputs, params):\n    return {'C': 1j}\n").problem,
        "reference() in ref.py returned under 'C' no array of real numbers"
    );
    EXPECT_TRUE(
        run("def reference(inputs):\n    return {}\n")
            .problem.starts_with("ref.py: TypeError in the Python reference\nTypeError: reference() takes 1")
    );
}

TEST_F(PythonReferences, AScriptThatEndsTheProcessIsSaid) {
    EXPECT_TRUE(
        run("import os\nprint('last words')\nos.abort()\n")
            .problem.find("ended with status 134 while it ran ref.py:") != std::string::npos
    );
    EXPECT_TRUE(run("import os\nos._exit(0)\n").problem.starts_with("the Python reference left no answer: "));
    EXPECT_TRUE(run("import sys\nsys.exit('enough')\n")
                    .problem.starts_with("ref.py:2: SystemExit in the Python reference\n"));
}

TEST_F(PythonReferences, AnEndlessScriptIsStopped) {
    const PythonReference reference = run("while True: pass\n", {{}, 0.3});
    EXPECT_EQ(
        reference.problem, "ref.py did not return within 0.3 seconds; WARPLENS_PYTHON_SECONDS=N allows more"
    );
    setenv("WARPLENS_PYTHON_SECONDS", "0.2", 1);
    EXPECT_NE(run_python_reference(problem, "ref.py").problem.find("within 0.2 seconds"), std::string::npos);
    unsetenv("WARPLENS_PYTHON_SECONDS");
}

TEST_F(PythonReferences, WhatAScriptPrintsStaysOffOurStdout) {
    testing::internal::CaptureStdout();
    const PythonReference reference =
        run("print('hello')\ndef reference(inputs, params):\n    return {'C': 1}\n");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_EQ(reference.problem, "");
}

TEST_F(PythonReferences, TheProcessStaysForTheNextQuestionAndForTheProblemBoundAgain) {
    const std::string script =
        "import os\ncalls = 0\ndef reference(inputs, params):\n    global calls\n    calls += 1\n"
        "    return {'process': os.getpid(), 'calls': calls, 'A': inputs['A']}\n";
    const PythonReference first = run(script);
    const PythonReference second = run_python_reference(problem, "ref.py");
    BindOptions again;
    again.python = problem.python;
    again.set = {
        {"M", "4"}
    };
    const PythonReference third = run_python_reference(bind(load("k.toml"), again), "ref.py");
    ASSERT_EQ(third.problem, "");
    EXPECT_EQ(at(named(first, "process"), 0), at(named(second, "process"), 0));
    EXPECT_EQ(at(named(first, "process"), 0), at(named(third, "process"), 0));
    EXPECT_EQ(at(named(third, "calls"), 0), 3);
    EXPECT_EQ(named(third, "A").shape, (std::vector<int64_t>{4, 3}));
    const PythonReference other = run_python_reference(bind(load("k.toml"), {}), "ref.py");
    EXPECT_NE(at(named(first, "process"), 0), at(named(other, "process"), 0)) << "a problem of its own";
}

TEST_F(PythonReferences, AnEditedScriptIsReadAgain) {
    EXPECT_EQ(at(named(run("def reference(inputs, params):\n    return {'C': 1}\n"), "C"), 0), 1);
    EXPECT_EQ(at(named(run("def reference(inputs, params):\n    return {'C': 2}\n"), "C"), 0), 2);
}

TEST_F(PythonReferences, AProcessThatEndedIsStartedAgain) {
    run("import os\ndef reference(inputs, params):\n    os._exit(3) if os.path.exists('bad') else None\n"
        "    return {'C': 1}\n");
    std::ofstream("bad") << "";
    EXPECT_NE(run_python_reference(problem, "ref.py").problem.find("ended with status 3"), std::string::npos);
    fs::remove("bad");
    EXPECT_EQ(run_python_reference(problem, "ref.py").problem, "");
}

TEST_F(PythonReferences, NothingIsLeftWhenTheProblemGoes) {
    const PythonReference reference =
        run("import os\ndef reference(inputs, params):\n    return {'process': os.getpid()}\n");
    const auto process = static_cast<pid_t>(at(named(reference, "process"), 0));
    const std::string left = problem.python->folder;
    EXPECT_TRUE(fs::exists(left));
    EXPECT_EQ(kill(process, 0), 0);
    problem.python.reset();
    EXPECT_FALSE(fs::exists(left));
    EXPECT_NE(kill(process, 0), 0);
}

// A process that dies without unwinding (SIGKILL) leaves neither the script running nor its folder, also
// where the script is in the middle of a call that holds the interpreter.
TEST_F(PythonReferences, TheScriptEndsWithAProcessThatIsKilled) {
    for (const std::string busy : {"time.sleep(60)", "sum(range(10**12))"}) {
        std::ofstream("ref.py"
        ) << "import os, time\nfile = os.environ['TMPDIR'] + '/process'\n"
             "open(file, 'w').write(str(os.getpid()))\nos.rename(file, file + '.there')\n"
          << busy << "\n";
        const fs::path left = folder / "left";
        fs::create_directories(left);
        const pid_t killed = fork();
        if (killed == 0) {
            setenv("TMPDIR", left.c_str(), 1);
            run_python_reference(problem, "ref.py");
            _exit(0);
        }
        const auto soon = [](const auto& condition) {
            for (int i = 0; i < 1000 && !condition(); ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            return condition();
        };
        pid_t script = 0;
        ASSERT_TRUE(soon([&] {
            for (const auto& entry : fs::directory_iterator(left))
                std::ifstream(entry.path() / "process.there") >> script;
            return script > 0;
        })) << busy;
        kill(killed, SIGKILL);
        waitpid(killed, nullptr, 0);
        EXPECT_TRUE(soon([script] { return kill(script, 0) != 0; })) << busy;
        EXPECT_TRUE(soon([&] { return fs::is_empty(left); })) << busy;
    }
}

TEST_F(PythonReferences, AMissingInterpreterOrNumpyIsSaid) {
    setenv("WARPLENS_PYTHON", "/nowhere/python3", 1);
    EXPECT_EQ(
        run("").problem, "cannot start /nowhere/python3; WARPLENS_PYTHON names the interpreter for ref.py"
    );
    std::ofstream("bare-python") << "#!/bin/sh\nexec " WL_TEST_PYTHON " -I -S \"$@\"\n";
    fs::permissions("bare-python", fs::perms::owner_all);
    setenv("WARPLENS_PYTHON", (folder / "bare-python").c_str(), 1);
    EXPECT_NE(run("").problem.find("has no numpy: `"), std::string::npos) << run("").problem;
}

TEST_F(PythonReferences, ASiblingModuleIsFoundAndNoCacheIsLeft) {
    std::ofstream("sibling.py") << "seven = 7\n";
    const PythonReference reference =
        run("from sibling import seven\ndef reference(inputs, params):\n    return {'C': seven}\n");
    EXPECT_EQ(at(named(reference, "C"), 0), 7) << reference.problem;
    EXPECT_FALSE(fs::exists("__pycache__"));
}

}  // namespace
}  // namespace wl::manifest
