// A big file in the window: it is there before its tiles are read, each is read when it is looked at, and one
// that is damaged is a message of its own.
#include "app/session/edit/open.h"
#include "app/session/navigate.h"
#include "app/shell/driver.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <unistd.h>

namespace wl::app {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 1600;
constexpr float kFirst = 2.5F, kSecond = 7.25F, kSmall = 0.125F;

// Two big tiles and a small one, each of one value.
struct BigFile {
    std::string path =
        (fs::temp_directory_path() / ("wl_lazy_" + std::to_string(getpid()) + ".wlcap")).string();
    BigFile() {
        capture::Capture c = testing::synthetic_capture();
        capture::Tile tile = c.tiles.front();
        for (capture::Probe& probe : c.probes) probe.dtype = DType::f32;
        tile.reference = tile.bound = tile.owner = capture::kNoBlob;
        c.tiles.clear(), c.outputs.clear(), c.findings.clear(), c.records.clear();
        for (const float value : {kFirst, kSecond, kSmall}) {
            tile.rows = tile.cols = value == kSmall ? 8 : kSide;
            tile.iteration = static_cast<int>(c.tiles.size());
            tile.values = add_blob(
                c.blobs,
                std::vector<float>(static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols), value)
            );
            c.tiles.push_back(tile);
        }
        capture::write_capture(c, path);
    }
    BigFile(const BigFile&) = delete;
    BigFile& operator=(const BigFile&) = delete;
    ~BigFile() { fs::remove(path); }

    // One byte of that tile's elements.
    void damage(float value) const {
        std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
        const std::string all{std::istreambuf_iterator<char>(file), {}};
        std::string pattern;
        for (int i = 0; i < 64; ++i) pattern.append(reinterpret_cast<const char*>(&value), sizeof value);
        const size_t at = all.find(pattern);
        ASSERT_NE(at, std::string::npos);
        file.seekp(static_cast<std::streamoff>(at + 100));
        file.put('x');
    }
};

struct Shown {
    OffscreenShell shell{960, 600, 1};
    Session& session = shell.app.session;
    explicit Shown(const BigFile& file) {
        open_anything(session, shell.app.selection, file.path);
        settle();
    }
    void settle() { play(shell, parse_script("wait 2\nuntil waiting no\nwait 2\n", "script")); }
    void select(int tile) {
        select_tile(session, shell.app.selection, tile);
        settle();
    }
    bool at_hand(int tile) const {
        return is_at_hand(session.capture.blobs, session.capture.tiles[static_cast<size_t>(tile)].values);
    }
};

TEST(LazyOpen, TilesOfABigFileAreReadWhenTheyAreLookedAt) {
    const BigFile file;
    ASSERT_TRUE(is_big_file(file.path));
    Shown shown(file);
    ASSERT_EQ(shown.session.captures, 1U) << shown.session.message.text;
    shown.select(0);
    EXPECT_TRUE(shown.at_hand(0));
    EXPECT_FALSE(shown.at_hand(1));
    EXPECT_EQ(shown.session.current.got.lo, kFirst);
    EXPECT_TRUE(shown.session.current.measured) << "its figures, too";
    shown.select(2);
    EXPECT_EQ(shown.session.current.got.hi, kSmall);
    EXPECT_FALSE(shown.at_hand(1));
    shown.select(1);
    EXPECT_EQ(shown.session.current.data.got(kSide - 1, kSide - 1), kSecond);
}

TEST(LazyOpen, ADamagedTileIsAMessageAndTheOthersAreShown) {
    const BigFile file;
    file.damage(kSecond);
    Shown shown(file);
    shown.select(0);
    EXPECT_FALSE(shown.session.message.bad) << shown.session.message.text;
    shown.select(1);
    EXPECT_TRUE(shown.session.message.bad);
    EXPECT_NE(shown.session.message.text.find(": its check value does not match"), std::string::npos)
        << shown.session.message.text;
    EXPECT_FALSE(has_values(shown.session.current));
    shown.select(2);
    EXPECT_EQ(shown.session.current.got.hi, kSmall);
}

TEST(LazyOpen, WhatIsSavedIsTheWholeCapture) {
    const BigFile file;
    Shown shown(file);
    const std::string copy = file.path + ".copy.wlcap";
    shown.select(2);
    capture::write_capture(shown.session.capture, copy);
    EXPECT_TRUE(capture::read_capture(copy) == capture::read_capture(file.path));
    fs::remove(copy);
}

}  // namespace
}  // namespace wl::app
