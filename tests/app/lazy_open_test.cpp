// A big file in the window: it is there before its tiles are read, each is read when it is looked at, and one
// that is damaged is a message of its own.
#include "app/session/edit/open.h"
#include "app/session/navigate.h"
#include "app/session/tile_load.h"
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

// What is compared with is six times as much: the picture does not wait for it.
TEST(LazyOpen, TheValuesOfABigTileAreShownBeforeItsReferenceIsRead) {
    const BigFile file;
    capture::Capture whole = capture::read_capture(file.path);
    constexpr size_t kAll = size_t{kSide} * kSide;
    whole.tiles[0].reference = add_blob(whole.blobs, std::vector<double>(kAll, 2.0));
    whole.tiles[0].bound = add_blob(whole.blobs, std::vector<float>(kAll, 0.1F));
    capture::write_capture(whole, file.path);
    const capture::Capture opened = capture::open_capture(file.path);
    const auto at_hand = [&](capture::BlobId id) { return is_at_hand(opened.blobs, id); };
    uint64_t contents = 0;
    std::unique_ptr<TileLoad> loading;
    const auto begin = [&] { return load_tile_view(opened, 0, contents, loading); };
    EXPECT_FALSE(has_values(begin()));
    ASSERT_TRUE(loading && loading->reading);
    loading->view.get();
    EXPECT_TRUE(at_hand(opened.tiles[0].values));
    EXPECT_FALSE(at_hand(opened.tiles[0].reference));
    const TileView first = begin();
    EXPECT_EQ(first.got.hi, kFirst);
    EXPECT_FALSE(has_reference(first));
    EXPECT_FALSE(first.measured);
    ASSERT_TRUE(loading && loading->reading);
    loading->view.get();
    EXPECT_TRUE(at_hand(opened.tiles[0].bound));
    const TileView second = begin();
    EXPECT_TRUE(has_reference(second));
    EXPECT_EQ(second.reference.hi, 2);
    ASSERT_TRUE(loading && !loading->reading);
    EXPECT_EQ(loading->view.get().wrong_count, static_cast<int64_t>(kAll));
}

// The window draws few frames meanwhile: what a frame computes is taken from the reading.
TEST(LazyOpen, AFileThatIsBeingReadHasNoNewsUntilItIsThere) {
    Session session;
    EXPECT_TRUE(has_news(session)) << "nothing is waited for in silence";
    std::promise<Loaded> promise;
    session.opening = std::make_unique<Opening>();
    session.opening->loaded = promise.get_future();
    EXPECT_TRUE(is_waiting(session));
    EXPECT_FALSE(has_news(session));
    promise.set_value({});
    EXPECT_TRUE(has_news(session));
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
