// A capture whose blobs stay in the file: the same capture as the one that is read whole, and whatever is
// wrong with a blob is said when it is asked for.
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/parts.h"
#include "instrumentation/capture/stored.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl::capture {
namespace {

namespace fs = std::filesystem;

struct Opened {
    fs::path folder = fs::temp_directory_path() / ("wl open?# %41 " + std::to_string(getpid()));
    std::string path = (folder / "run.wlcap").string();
    Capture written = testing::synthetic_capture();
    Opened() {
        fs::create_directories(folder);
        write_capture(written, path);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { fs::remove_all(folder); }

    void change(const std::string& sql) const {
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(database);
        sqlite3_close(database);
    }
    // The first tile with all of its elements.
    const Tile& tile() const {
        for (const Tile& t : written.tiles)
            if (t.values != kNoBlob && t.reference != kNoBlob && t.owner != kNoBlob) return t;
        return written.tiles.front();
    }
};

std::string message_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) { return error.what(); }
    return {};
}

TEST(OpenCapture, AFileWithoutItsSealIsDamagedHoweverMuchOfItIsRead) {
    const Opened o;
    o.change("DELETE FROM meta WHERE key = 'seal'");
    for (const auto& read : {open_capture, read_capture}) {
        const std::string said = message_of([&] { read(o.path); });
        EXPECT_NE(said.find("lacks 'seal'"), std::string::npos) << said;
    }
}

TEST(OpenCapture, IsTheCaptureThatWasWritten) {
    const Opened at;
    const Capture opened = open_capture(at.path);
    ASSERT_TRUE(opened.blobs.stored);
    EXPECT_FALSE(is_at_hand(opened.blobs, at.tile().values));
    EXPECT_TRUE(opened == at.written);
    EXPECT_TRUE(is_at_hand(opened.blobs, at.tile().values));
    EXPECT_EQ(encode(opened, "a"), encode(at.written, "a"));
}

TEST(OpenCapture, ReadsWhatIsAskedForAndNothingElse) {
    const Opened at;
    const Capture opened = open_capture(at.path);
    Capture copy = opened;
    copy.findings.clear();
    EXPECT_EQ(content_of(opened.blobs, at.tile().values), content_of(at.written.blobs, at.tile().values));
    EXPECT_TRUE(is_at_hand(copy.blobs, at.tile().values)) << "copies share what was read";
    EXPECT_FALSE(is_at_hand(opened.blobs, at.tile().reference));
    EXPECT_TRUE(content_of(opened.blobs, kNoBlob).empty());
}

TEST(OpenCapture, KeepsReadingTheFileThatWasOpened) {
    const Opened at;
    const Capture opened = open_capture(at.path);
    Capture other = at.written;
    other.tiles.clear(), other.outputs.clear(), other.blobs = {};
    write_capture(other, at.path);  // takes its place
    EXPECT_TRUE(opened == at.written);
    fs::remove(at.path);
    EXPECT_EQ(content_of(opened.blobs, at.tile().owner), content_of(at.written.blobs, at.tile().owner));
}

TEST(OpenCapture, SaysWhatIsWrongWithABlobWhenItIsAskedFor) {
    const Opened at;
    const std::string id = std::to_string(at.tile().values), next = std::to_string(at.tile().reference);
    at.change("UPDATE blob SET data=zeroblob(length(data)) WHERE blob_id=" + id);
    const Capture opened = open_capture(at.path);
    const std::string message = message_of([&] { content_of(opened.blobs, at.tile().values); });
    EXPECT_EQ(
        message,
        at.path + " is damaged: table blob, row " + std::to_string(at.tile().values - 1) +
            ": its check value does not match its contents. Record it again."
    );
    EXPECT_EQ(
        content_of(opened.blobs, at.tile().reference), content_of(at.written.blobs, at.tile().reference)
    ) << "the others can be read";
    at.change("DELETE FROM blob WHERE blob_id=" + next);
    const Capture again = open_capture(at.path);
    EXPECT_NE(
        message_of([&] { content_of(again.blobs, at.tile().reference); }).find("it is missing"),
        std::string::npos
    );
}

TEST(OpenCapture, ABlobOfAnotherSizeOrWithUnknownOwnersIsRefused) {
    const Opened at;
    // Whole rows that belong to other tiles: their own checks are right.
    Capture forged = at.written;
    forged.blobs.blobs[static_cast<size_t>(at.tile().values)].resize(6);
    std::vector<std::byte>& owners = forged.blobs.blobs[static_cast<size_t>(at.tile().owner)];
    Owner stranger;
    stranger.warp = 0, stranger.site = 1U << 30;
    std::memcpy(owners.data(), &stranger, sizeof stranger);
    Capture plain = forged;
    plain.tiles.clear(), plain.outputs.clear();
    const std::string blobs = (at.folder / "blobs.wlcap").string();
    write_capture(plain, blobs);
    std::string attached;  // the path has letters that SQL knows
    for (const char c : blobs) attached.append(c == '\'' ? "''" : std::string(1, c));
    at.change(
        "ATTACH '" + attached + "' AS other; DELETE FROM blob; INSERT INTO blob SELECT * FROM other.blob;"
    );
    const Capture opened = open_capture(at.path);
    EXPECT_NE(
        message_of([&] { content_of(opened.blobs, at.tile().values); }).find("has 6 bytes, and its tile"),
        std::string::npos
    );
    EXPECT_NE(
        message_of([&] { content_of(opened.blobs, at.tile().owner); }).find("names site 1073741824"),
        std::string::npos
    );
}

TEST(OpenCapture, RowsOfOtherTablesThatAreLostAreNoticedAtOnce) {
    const Opened at;
    const std::string last = std::to_string(at.written.tiles.size() - 1);
    at.change("DELETE FROM output; DELETE FROM tile WHERE tile_id=" + last);
    EXPECT_NE(message_of([&] { open_capture(at.path); }).find("rows are missing"), std::string::npos);
}

TEST(OpenCapture, WithoutASealOfItsOwnAFileIsReadWhole) {
    const Opened at;
    at.change("DELETE FROM meta WHERE key='seal_but_blobs'");
    const Capture opened = open_capture(at.path);
    EXPECT_FALSE(opened.blobs.stored);
    EXPECT_TRUE(opened == at.written);
    at.change("UPDATE blob SET data=zeroblob(length(data)) WHERE blob_id=1");
    EXPECT_NE(message_of([&] { open_capture(at.path); }), "");
}

TEST(OpenCapture, TruncatedFilesAreRefused) {
    const Opened at;
    const uintmax_t whole = fs::file_size(at.path);
    for (const uintmax_t left : {whole - 4096, whole / 2, uintmax_t{50}, uintmax_t{0}}) {
        fs::resize_file(at.path, left);
        EXPECT_NE(message_of([&] { open_capture(at.path); }), "") << left;
    }
    EXPECT_NE(message_of([&] { open_capture(at.path + "x"); }).find("No such file"), std::string::npos);
}

TEST(OpenCapture, AFileCutShortWhileItIsOpenIsAMessage) {
    const Opened at;
    const Capture opened = open_capture(at.path);
    fs::resize_file(at.path, 8192);
    EXPECT_NE(
        message_of([&] { content_of(opened.blobs, at.tile().values); }).find("is damaged"), std::string::npos
    );
}

TEST(OpenCapture, SeveralThreadsMayAsk) {
    const Opened at;
    const Capture opened = open_capture(at.path);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (size_t id = 1; id < opened.blobs.blobs.size(); ++id)
                wrong += content_of(opened.blobs, static_cast<BlobId>(id)) != at.written.blobs.blobs[id];
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

// What is put together on the disk, as captures are that memory would not hold.
TEST(BigCapture, IsPutTogetherOnTheDiskAndIsTheSame) {
    const fs::path folder = fs::temp_directory_path() / ("wl big?# " + std::to_string(getpid()));
    fs::create_directories(folder);
    const std::string path = (folder / "run.wlcap").string();
    const Capture rich = testing::synthetic_capture();
    write_capture(Capture{}, path);
    write_capture(rich, path, 0);
    EXPECT_TRUE(read_capture(path) == rich);
    EXPECT_TRUE(open_capture(path) == rich);
    EXPECT_EQ(fs::file_size(path), encode(rich, "run").size());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1) << "nothing hidden is left beside it";
    const fs::perms mode = fs::status(path).permissions();
    write_capture(rich, path);
    EXPECT_EQ(mode, fs::status(path).permissions());
    fs::remove_all(folder);
}

// What SQLite takes for one value is less than the largest matrix: here rows of 1000 bytes stand for it.
TEST(BigCapture, ABlobThatARowCannotHoldGoesOnInOthers) {
    Opened at;
    const auto longest = std::ranges::max_element(at.written.blobs.blobs, {}, &std::vector<std::byte>::size);
    ASSERT_GT(longest->size(), 10'000U);
    for (const uint64_t in_memory : {uint64_t{0}, kMostInMemory}) {
        write_in_rows(at.written, at.path, in_memory, 1000);
        EXPECT_TRUE(read_capture(at.path) == at.written);
        EXPECT_TRUE(open_capture(at.path) == at.written);
    }
    const Capture again = read_capture(at.path);
    const Tile& tile = at.tile();
    Capture changed = again;
    EXPECT_EQ(add_blob(changed.blobs, again.blobs.blobs[static_cast<size_t>(tile.values)]), tile.values)
        << "equal contents are found whole";
}

TEST(BigCapture, ABlobWhoseRestIsMissingOrMadeUpIsDamaged) {
    const std::vector<Part> parts = {
        {1, 2},
        {7, 1}
    };
    EXPECT_EQ(parts_of(parts_text(parts), 50), parts);
    EXPECT_EQ(parts_of("", 0), std::vector<Part>{});
    for (const char* said :
         {"x", "1", "1:", "1:0", "1:-1", "1:50", "50:1", "2:1 1:1", "1:1 1:1", "0:1", "1:1x"})
        EXPECT_THROW(parts_of(said, 50), std::exception) << said;
    const Opened at;
    write_in_rows(at.written, at.path, 0, 1000);
    at.change("DELETE FROM blob WHERE blob_id = (SELECT max(blob_id) FROM blob)");
    for (Capture (*read)(const std::string&) : {read_capture, open_capture}) {
        const std::string message = message_of([&] {
            const Capture capture = read(at.path);
            for (size_t id = 1; id < capture.blobs.blobs.size(); ++id)
                content_of(capture.blobs, static_cast<BlobId>(id));
        });
        EXPECT_NE(message.find(" is damaged: "), std::string::npos) << message;
    }
}

TEST(BigCapture, ThatTheDiskCannotHoldLeavesTheOldFile) {
    const fs::path folder = fs::temp_directory_path() / ("wl full " + std::to_string(getpid()));
    fs::create_directories(folder);
    const std::string path = (folder / "run.wlcap").string();
    write_capture(Capture{}, path);
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{200'000, 200'000};  // bytes of any file
        setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, SIG_IGN);
        try {
            write_capture(testing::synthetic_capture(), path, 0);
            _exit(1);
        } catch (const Error& error) {
            _exit(std::string(error.what()).starts_with("cannot write " + path) ? 0 : 2);
        }
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "it is an error that names the file";
    EXPECT_TRUE(read_capture(path) == Capture{});
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
    fs::remove_all(folder);
}

}  // namespace
}  // namespace wl::capture
