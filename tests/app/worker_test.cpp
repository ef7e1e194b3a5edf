// The worker's side of the window: progress lines, endings of every kind, cancelling. /bin/sh stands in for
// the program.
#include "app/worker/worker.h"

#include "app/session/edit/editor.h"
#include "instrumentation/base/error.h"

#include <chrono>
#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <thread>

namespace wl::app {
namespace {

constexpr double kPatience = 20;  // seconds until a test gives up

void wait_for(Worker& worker, const std::function<bool()>& done) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatience);
    while (!done() && std::chrono::steady_clock::now() < end) {
        poll(worker);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ASSERT_TRUE(done());
}

void run_to_end(Worker& worker, const std::string& script) {
    start(worker, {"/bin/sh", "-c", script}, "capture.wlcap");
    wait_for(worker, [&] { return worker.state != WorkerState::running; });
}

TEST(WorkerProgress, OnlyWholeLinesOfTheProtocolAreProgress) {
    const auto progress = progress_from_line("progress run 0.42");
    ASSERT_TRUE(progress.has_value());
    EXPECT_EQ(progress->stage, "run");
    EXPECT_DOUBLE_EQ(progress->fraction, 0.42);
    for (const char* line :
         {"",
          "progress",
          "progress run",
          "progress run much",
          "progress run 1.5",
          "progress run 0.5 more",
          "run 0.5"}) {
        EXPECT_FALSE(progress_from_line(line).has_value()) << line;
    }
}

TEST(Worker, FindingsAreAFinishedRun) {
    Worker worker;
    run_to_end(worker, "echo progress compile 1 >&2; echo progress run 0.5 >&2; exit 1");
    EXPECT_EQ(worker.state, WorkerState::finished);
    EXPECT_EQ(worker.progress.stage, "run");
    EXPECT_DOUBLE_EQ(worker.progress.fraction, 0.5);
}

TEST(Worker, ProgressArrivesWhileItRuns) {
    Worker worker;
    start(
        worker,
        {"/bin/sh", "-c", "printf 'progress ru' >&2; sleep 0.1; echo n 0.25 >&2; exec sleep 60"},
        "capture.wlcap"
    );
    wait_for(worker, [&] { return worker.progress.fraction == 0.25; });
    EXPECT_EQ(worker.state, WorkerState::running);
    EXPECT_EQ(worker.progress.stage, "run");
}

TEST(Worker, AToolErrorIsItsLastLineOfWords) {
    Worker worker;
    run_to_end(worker, "echo progress run 0.1 >&2; echo 'There is no kernel named v3.' >&2; exit 2");
    EXPECT_EQ(worker.state, WorkerState::failed);
    EXPECT_EQ(worker.message, "There is no kernel named v3.");
}

std::string next_line(Worker& worker) {
    std::optional<std::string> line;
    wait_for(worker, [&] { return line || (line = take_line(worker)); });
    return line.value_or("none came");
}

TEST(Worker, AnswersWhatItIsAsked) {
    Worker worker;
    start(
        worker, {"/bin/sh", "-c", R"(read a; echo "1 $a"; read b; printf '2 %s' "$b"; sleep 0.05; echo)"}, ""
    );
    ask(worker, "first");
    EXPECT_EQ(next_line(worker), "1 first");
    ask(worker, "second");
    EXPECT_EQ(next_line(worker), "2 second") << "a line is whole before it is taken";
    wait_for(worker, [&] { return worker.state != WorkerState::running; });
    EXPECT_EQ(worker.state, WorkerState::finished);
    EXPECT_FALSE(take_line(worker).has_value());
}

TEST(Worker, AskingOneThatReadsNoMoreIsHarmless) {
    Worker worker;
    start(worker, {"/bin/sh", "-c", "exec <&-; echo closed; exec sleep 60"}, "");
    EXPECT_EQ(next_line(worker), "closed");
    for (int i = 0; i < 3; ++i) ask(worker, "anyone there?");
    poll(worker);
    EXPECT_EQ(worker.state, WorkerState::running);
}

TEST(Worker, AKilledWorkerIsAMessageWithItsSignal) {
    Worker worker;
    start(worker, {"/bin/sh", "-c", "echo progress run 0.3 >&2; exec sleep 60"}, "capture.wlcap");
    wait_for(worker, [&] { return worker.progress.fraction == 0.3; });
    ASSERT_EQ(kill(worker.process, SIGKILL), 0);
    wait_for(worker, [&] { return worker.state != WorkerState::running; });
    EXPECT_EQ(worker.state, WorkerState::failed);
    EXPECT_EQ(worker.message, "The worker was killed by signal 9.");
}

TEST(Worker, CancelInterruptsItEvenWhenItIgnoresTheInterrupt) {
    for (const char* script :
         {"exec sleep 60", "trap '' INT; echo progress run 0 >&2; while :; do sleep 0.1; done"}) {
        Worker worker;
        start(worker, {"/bin/sh", "-c", script}, "capture.wlcap");
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        cancel(worker);
        wait_for(worker, [&] { return worker.state != WorkerState::running; });
        EXPECT_EQ(worker.state, WorkerState::cancelled) << script;
    }
}

TEST(Worker, WhatACompilerSaysIsFoundWithItsLine) {
    const struct {
        const char *said, *file, *text;
    } forms[] = {
        {"own/gemm.cu:62: error: identifier \"x\" is undefined",
         "own/gemm.cu",                                                               "identifier \"x\" is undefined"},
        {"gemm.cu(62): error: expected a \";\"",                  "gemm.cu",          "expected a \";\""             },
        {"gemm.cu:62:17: error: use of undeclared identifier",    "gemm.cu",          "use of undeclared identifier" },
        {"/tmp/a b/gemm.cu(62): catastrophic error: cannot open", "/tmp/a b/gemm.cu", "cannot open"                  },
    };
    for (const auto& form : forms) {
        const std::optional<Complaint> found = complaint_from_line(form.said);
        ASSERT_TRUE(found) << form.said;
        EXPECT_EQ(found->file, form.file);
        EXPECT_EQ(found->line, 62);
        EXPECT_EQ(found->text, form.text);
    }
    for (const char* none :
         {"1 error detected in the compilation of \"gemm.cu\".", "gemm.cu:62: warning: unused", "error"})
        EXPECT_FALSE(complaint_from_line(none)) << none;
    Worker worker;
    start(worker, {"/bin/sh", "-c", "printf 'k.cu:3: error: no\\n1 error detected\\n' >&2; exit 2"}, "");
    wait_for(worker, [&] { return worker.state != WorkerState::running; });
    EXPECT_EQ(worker.message, "k.cu:3: no");
}

TEST(Worker, AMissingProgramIsAnErrorThatNamesIt) {
    Worker worker;
    try {
        start(worker, {"/nonexistent/warplens"}, "capture.wlcap");
        FAIL() << "it started";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("/nonexistent/warplens"), std::string::npos);
    }
}

// "+!..." is a command of vim's, "-..." an option of every editor's.
TEST(Editor, AFilesNameIsAName) {
    EXPECT_EQ(
        editor_words("vim +{line} {file}", "+!touch {line} $(x)", 3),
        (std::vector<std::string>{"vim", "+3", "./+!touch {line} $(x)"})
    );
    EXPECT_EQ(editor_words("kate", "-k.cu", 3), (std::vector<std::string>{"kate", "./-k.cu"}));
}

}  // namespace
}  // namespace wl::app
