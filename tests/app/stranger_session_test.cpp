// A capture that names a kernel, in the window: nothing of it is opened before the button that shows the
// name.
#include "app/session/edit/open.h"
#include "app/session/edit/rerun.h"
#include "app/session/questions.h"
#include "app/session/session.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

struct Here {
    fs::path folder = fs::temp_directory_path() / ("wl_stranger_session_" + std::to_string(getpid()));
    std::string file = (folder / "here/sent.wlcap").string();
    Here() {
        fs::create_directories(folder / "here");
        fs::create_directories(folder / "evil");
        std::ofstream(folder / "evil/evil.cu") << "__global__ void evil() {}\n";
        std::ofstream(folder / "evil/evil.toml")
            << "args = [{ name = \"x\", dtype = \"f32\", shape = [1], output = true }]\n"
               "launch = { grid = [1], block = [1] }\n";
        setenv("XDG_STATE_HOME", (folder / "state").c_str(), 1);
        capture::Capture c = testing::synthetic_capture();
        c.launch.kernel = "../evil/evil";
        for (capture::Source& s : c.sources) s.path = (folder / "evil/evil.cu").string();
        capture::write_capture(c, file);
    }
    Here(const Here&) = delete;
    Here& operator=(const Here&) = delete;
    ~Here() {
        unsetenv("XDG_STATE_HOME");
        fs::remove_all(folder);
    }
};

TEST(SessionOfAStranger, WhatTheCaptureNamesWaitsForTheButton) {
    const Here here;
    Session session;
    Selection selection;
    session.program = "/bin/true";
    load(session, selection, capture::read_capture(here.file), here.file);
    EXPECT_EQ(session.named, "../evil/evil.toml");
    EXPECT_EQ(session.allowed, "");
    EXPECT_TRUE(session.kernels.empty());
    EXPECT_TRUE(session.watched.files.empty());
    EXPECT_EQ(problem_of(session).kernel, "");
    run_again(session, "before");
    EXPECT_EQ(session.worker, nullptr);
    EXPECT_TRUE(session.message.bad);
    EXPECT_NE(session.message.text.find("../evil/evil.toml is not opened"), std::string::npos)
        << session.message.text;

    trust_named(session);
    EXPECT_FALSE(session.message.bad) << session.message.text;
    EXPECT_EQ(session.named, "");
    EXPECT_TRUE(fs::equivalent(session.allowed, here.folder / "evil/evil.toml")) << session.allowed;
    ASSERT_EQ(session.kernels.size(), 1U);
    EXPECT_FALSE(session.watched.files.empty());
}

TEST(SessionOfAStranger, ATextThatIsOpenedNamesNothing) {
    const Here here;
    Session session;
    Selection selection;
    const std::string source = (here.folder / "here/plain.cu").string();
    std::ofstream(source) << "__global__ void plain() {}\n";
    open_anything(session, selection, source);
    EXPECT_EQ(session.named, "");
}

}  // namespace
}  // namespace wl::app
