// What the words behind `warplens open` make of the window, with what the window kept.
#include "app/cli/parse.h"
#include "app/cli/verbs.h"
#include "app/shell/window.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

struct Kept {
    fs::path folder = fs::temp_directory_path() / ("wl_open_request_test_" + std::to_string(getpid()));
    explicit Kept(const std::string& settings) {
        fs::create_directories(folder / "warplens");
        std::ofstream(folder / "warplens" / "window.conf") << settings;
        setenv("XDG_CONFIG_HOME", folder.c_str(), 1);
    }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { fs::remove_all(folder); }

    // The window of these words, off screen, is asked whether it has that theme.
    void expect_theme(std::vector<std::string> words, const std::string& theme) const {
        words.insert(words.begin(), {"warplens", "open"});
        std::vector<char*> pointers;
        pointers.reserve(words.size());
        for (std::string& word : words) pointers.push_back(word.data());
        const Parsed parsed = parse_command(static_cast<int>(pointers.size()), pointers.data());
        OpenRequest request = open_request(parsed.command);
        EXPECT_EQ(request.settings, (folder / "warplens" / "window.conf").string());
        request.script = (folder / "script").string();
        std::ofstream(request.script) << "wait 2\nexpect theme " << theme << "\n";
        EXPECT_NO_THROW(draw_offscreen(request)) << theme;
    }
};

TEST(OpenRequest, ThemeOverridesTheKeptOneAndWithoutItTheKeptOneStays) {
    const Kept light("theme light\n");
    light.expect_theme({}, "light");
    light.expect_theme({"--theme", "dark"}, "dark");
    light.expect_theme({"--theme", "light"}, "light");
}

TEST(OpenRequest, ADarkThemeIsKeptAsWell) {
    const Kept dark("zoom 1\n");
    dark.expect_theme({}, "dark");
    dark.expect_theme({"--theme", "light"}, "light");
}

}  // namespace
}  // namespace wl::app
