// What a desktop shows of the program: its icon and its entry in assets/.
#include "app/shell/icon.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace wl::app {
namespace {

constexpr const char* kAssets = WL_SOURCE_DIR "/assets/";

TEST(Icon, IsAPictureWithClearCornersAndAWrongElement) {
    const Icon shown = icon();
    ASSERT_EQ(shown.width, 256);
    ASSERT_EQ(shown.height, 256);
    const auto pixel = [&](size_t x, size_t y) { return shown.rgba.data() + (y * 256 + x) * 4; };
    EXPECT_EQ(pixel(0, 0)[3], 0) << "round corners";
    EXPECT_EQ(pixel(128, 20)[3], 255);
    const uint8_t* wrong = pixel(184, 184);  // under the lens
    EXPECT_GT(wrong[0], 2 * wrong[1]);
}

TEST(DesktopEntry, NamesTheProgramAndAnIconThatIsThere) {
    std::ifstream file(kAssets + std::string("warplens.desktop"));
    std::map<std::string, std::string> keys;
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "[Desktop Entry]");
    while (std::getline(file, line)) keys[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    EXPECT_EQ(keys["Type"], "Application");
    EXPECT_EQ(keys["Exec"], "warplens open %f");
    EXPECT_EQ(keys["Categories"].back(), ';');
    for (const char* kind : {".svg", ".png"})
        EXPECT_TRUE(std::filesystem::exists(kAssets + keys["Icon"] + kind)) << kind;
}

}  // namespace
}  // namespace wl::app
