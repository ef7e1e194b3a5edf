// What is written comes back, and nothing else does.
#include "instrumentation/base/error.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <sqlite3.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace wl::capture {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

// Every field of every struct different from its default, and from its neighbours.
Capture rich_capture() {
    Capture capture = testing::synthetic_capture();
    capture.tiles.resize(20);
    capture.blobs.blobs.resize(70);            // ids rise with the tiles
    capture.records[0].events.resize(20'000);  // three pages
    capture.records[0].truncated = true;
    capture.records.push_back({
        7, 8, {capture.records[0].events.begin(), capture.records[0].events.begin() + 5},
          false
    });
    capture.records.push_back({8, 8, {}, false});
    capture.launch.grid = {8, 4, 2};
    capture.launch.static_shared = 1234;
    capture.launch.seed = 0xffff'ffff'ffff'fff1;
    capture.launch.schedule_seed = 77;
    capture.unsupported = {"unsupported: wgmma at gemm.cu:7", ""};
    capture.probes[1].kind = ProbeKind::warp_tile;
    capture.probes[1].dtype = DType::bf16;
    for (Tile& tile : capture.tiles)
        if (tile.probe == 1) {
            tile.rows = 128;  // of two bytes an element
            tile.reference = tile.bound = tile.owner = kNoBlob;
        }
    capture.tiles[2].warp = 3;
    capture.tiles[2].inf = 4;
    capture.tiles[2].nan = 5;
    capture.tiles[2].max = std::numeric_limits<double>::infinity();
    capture.tiles[2].estimated_bound = true;
    capture.tiles[3].address = 0xffff'ffff'ffff'0000;
    capture.outputs[0].tile = 4;
    capture.outputs[0].nan = 9;
    capture.outputs[0].note = "estimated bound";
    capture.outputs[0].verdict = Verdict::undecided;
    capture.outputs[0].of = {4096, 4000, 96, 7, Limit::estimated, 0.5, 0.25, 3.5, 0.01, false};
    capture.outputs.push_back({});
    capture.findings[0].other.epoch = 6;
    capture.covered.schedules = 12;
    capture.verdict = "findings";
    capture.notes.emplace_back("two\nlines, \xce\xb1 and a \0 inside", 27);
    capture.complete = false;
    return capture;
}

std::string message_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) { return error.what(); }
    return {};
}
std::string message_of_decoding(const Bytes& file) {
    return message_of([&] { decode(file, "run.wlcap"); });
}

struct Folder {
    fs::path path;
    Folder() {
        std::string name = (fs::temp_directory_path() / "wlcap-XXXXXX").string();
        path = mkdtemp(name.data());
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() { fs::remove_all(path); }
    std::string file(const char* name) const { return (path / name).string(); }
    size_t entries() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
    }
};

void poke(Bytes& file, size_t offset, uint32_t big_endian) {
    for (size_t i = 0; i < 4; ++i) file[offset + i] = static_cast<std::byte>(big_endian >> (24 - 8 * i));
}

// The file after `sql`, as another program would change it.
Bytes changed_by(const Bytes& file, const std::string& sql) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(":memory:", &database), SQLITE_OK);
    const auto size_before = static_cast<sqlite3_int64>(file.size());
    auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(file.size()));
    std::memcpy(copy, file.data(), file.size());
    constexpr unsigned kFlags = SQLITE_DESERIALIZE_RESIZEABLE | SQLITE_DESERIALIZE_FREEONCLOSE;
    sqlite3_deserialize(database, "main", copy, size_before, size_before, kFlags);
    EXPECT_EQ(sqlite3_exec(database, "PRAGMA writable_schema=ON", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_int64 size = 0;
    unsigned char* data = sqlite3_serialize(database, "main", &size, 0);
    const auto* begin = reinterpret_cast<const std::byte*>(data);
    Bytes changed(begin, begin + size);
    sqlite3_free(data);
    sqlite3_close(database);
    return changed;
}

TEST(CaptureFile, EverythingComesBack) {
    const Folder folder;
    const Capture written = rich_capture();
    write_capture(written, folder.file("run.wlcap"));
    const Capture read = read_capture(folder.file("run.wlcap"));
    EXPECT_EQ(read.launch, written.launch);
    EXPECT_EQ(read.sites, written.sites);
    EXPECT_EQ(read.probes, written.probes);
    EXPECT_EQ(read.tiles, written.tiles);
    EXPECT_EQ(read.outputs, written.outputs);
    EXPECT_EQ(read.records, written.records);
    EXPECT_EQ(read.findings, written.findings);
    EXPECT_EQ(read.notes, written.notes);
    EXPECT_EQ(read.blobs, written.blobs);
    EXPECT_TRUE(read == written);
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(CaptureFile, AnEmptyCaptureComesBack) {
    const Capture empty;
    EXPECT_TRUE(decode(encode(empty, "a"), "a") == empty);
}

TEST(CaptureFile, EqualCapturesAreEqualFiles) {
    const Bytes file = encode(rich_capture(), "a");
    EXPECT_TRUE(encode(decode(file, "a"), "b") == file);
}

TEST(CaptureFile, NaNFiguresStayNaN) {
    Capture capture;
    capture.seconds = {
        {"run", std::numeric_limits<double>::quiet_NaN()}
    };
    const Capture read = decode(encode(capture, "a"), "a");
    ASSERT_EQ(read.seconds.size(), 1U);
    EXPECT_TRUE(std::isnan(read.seconds[0].second));
}

TEST(CaptureFile, BlobsReadBackAreStillFoundByContent) {
    Capture read = decode(encode(testing::synthetic_capture(), "a"), "a");
    const size_t blobs = read.blobs.blobs.size();
    EXPECT_EQ(add_blob(read.blobs, std::vector<std::byte>(read.blobs.blobs[3])), 3);
    EXPECT_EQ(read.blobs.blobs.size(), blobs);
}

TEST(CaptureFile, EveryPrefixIsRejectedAsTruncated) {
    const Bytes file = encode(rich_capture(), "a");
    for (size_t size = 1; size < file.size(); size += size < 300 ? 1 : 997) {
        const std::string message =
            message_of_decoding(Bytes(file.begin(), file.begin() + static_cast<int64_t>(size)));
        ASSERT_NE(message.find("run.wlcap is truncated"), std::string::npos) << size << ": " << message;
    }
}

TEST(CaptureFile, TrailingBytesAreRejected) {
    Bytes file = encode(rich_capture(), "a");
    file.push_back(std::byte{0});
    EXPECT_NE(message_of_decoding(file).find("run.wlcap is damaged"), std::string::npos);
}

TEST(CaptureFile, ABitFlipIsRejectedOrChangesNothing) {
    const Capture written = rich_capture();
    const Bytes file = encode(written, "a");
    std::mt19937_64 random(1);
    int rejected = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        Bytes flipped = file;
        // Every other one in the first pages, where headers, schema and keys lie.
        const size_t range = trial % 2 ? file.size() : std::min<size_t>(file.size(), 65536);
        const size_t bit = random() % (8 * range);
        flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        try {
            ASSERT_TRUE(decode(flipped, "a") == written) << "bit " << bit << " changed the capture silently";
        } catch (const Error&) { ++rejected; }
    }
    EXPECT_GT(rejected, 1000);  // at least a half: elements and events are most of the file
    EXPECT_LT(rejected, 2000);  // unused bytes of pages are nobody's
}

// Whole bytes overwritten at the head of pages: what makes b-trees wrong rather than values.
TEST(CaptureFile, DamagedPagesAreRejectedOrChangeNothing) {
    const Capture written = rich_capture();
    const Bytes file = encode(written, "a");
    std::mt19937_64 random(2);
    for (int trial = 0; trial < 1000; ++trial) {
        Bytes damaged = file;
        const size_t page = random() % (file.size() / 4096) * 4096;
        for (int i = 0; i < 4; ++i)
            damaged[page + (page == 0 ? 100 : 0) + random() % 64] = static_cast<std::byte>(random());
        try {
            ASSERT_TRUE(decode(damaged, "a") == written) << "page at " << page;
        } catch (const Error&) { continue; }
    }
}

TEST(CaptureFile, RowsLostOrExchangedAreNoticed) {
    const Bytes file = encode(rich_capture(), "a");
    EXPECT_NE(message_of_decoding(changed_by(file, "DELETE FROM tile WHERE tile_id=19")), "");
    EXPECT_NE(message_of_decoding(changed_by(file, "DELETE FROM item WHERE list='note'")), "");
    EXPECT_NE(message_of_decoding(changed_by(file, "DELETE FROM tile; DELETE FROM output")), "");
    const std::string damaged =
        message_of_decoding(changed_by(file, "UPDATE tile SET cta=1 WHERE tile_id=17"));
    EXPECT_EQ(
        damaged,
        "run.wlcap is damaged: table tile, row 17: its check value does not match its contents. Record it "
        "again."
    );
    EXPECT_NE(
        message_of_decoding(changed_by(file, "UPDATE blob SET data=zeroblob(length(data)) WHERE blob_id=2")),
        ""
    );
    EXPECT_NE(message_of_decoding(changed_by(file, "UPDATE meta SET value='ok' WHERE key='verdict'")), "");
}

TEST(CaptureFile, AnotherSchemaIsRejected) {
    const Bytes file = encode(rich_capture(), "a");
    const std::string message =
        message_of_decoding(changed_by(file, "DROP TABLE item; CREATE TABLE item(list TEXT, of INTEGER)"));
    EXPECT_NE(message.find("table item is not as this version defines it"), std::string::npos) << message;
    const std::string generated = message_of_decoding(changed_by(
        file,
        "UPDATE sqlite_schema SET sql=replace(sql, 'name TEXT', 'name TEXT AS (list)') WHERE name='item'"
    ));
    EXPECT_NE(generated, "");
    EXPECT_NE(
        message_of_decoding(changed_by(file, "DROP VIEW tiles")).find("view tiles is missing"),
        std::string::npos
    );
}

TEST(CaptureFile, AnUnfinishedFileSaysSo) {
    const Bytes file = encode(rich_capture(), "a");
    const std::string message =
        message_of_decoding(changed_by(file, "DELETE FROM meta WHERE key='complete'"));
    EXPECT_NE(message.find("its writer did not finish it"), std::string::npos) << message;
}

TEST(CaptureFile, ANewerMajorIsRefusedWithItsWriter) {
    const Capture written = rich_capture();
    Bytes file = encode(written, "a");
    poke(file, 60, 50003);
    EXPECT_EQ(
        message_of_decoding(file),
        "run.wlcap has the capture format 5.3, written by WarpLens 0.1.0; this WarpLens reads format 4. Open "
        "it with the "
        "version that wrote it, or record it again."
    );
}

TEST(CaptureFile, ANewerMinorWithMoreColumnsAndTablesIsRead) {
    const Capture written = rich_capture();
    const Bytes file = changed_by(
        encode(written, "a"),
        "ALTER TABLE tile ADD COLUMN mood TEXT; ALTER TABLE meta ADD COLUMN more REAL;"
        "CREATE TABLE extra(x INTEGER) STRICT; PRAGMA user_version=40001"
    );
    EXPECT_TRUE(decode(file, "a") == written);
    EXPECT_NE(message_of_decoding(changed_by(file, "PRAGMA user_version=40000")), "");
}

TEST(CaptureFile, WhatIsNoCaptureIsSaidToBeNone) {
    const Folder folder;
    const auto message = [&](const std::string& contents) {
        std::ofstream(folder.file("x.wlcap"), std::ios::binary) << contents;
        return message_of([&] { read_capture(folder.file("x.wlcap")); });
    };
    EXPECT_NE(message("").find("x.wlcap is empty"), std::string::npos);
    EXPECT_NE(message("PK\x03\x04").find("x.wlcap is not a WarpLens capture"), std::string::npos);
    Bytes file = encode(Capture(), "a");
    poke(file, 68, 0);
    EXPECT_NE(
        message_of_decoding(file).find("SQLite database, but not a WarpLens capture"), std::string::npos
    );
    EXPECT_NE(
        message_of([&] { read_capture(folder.file("none.wlcap")); }).find("No such file"), std::string::npos
    );
    EXPECT_NE(
        message_of([&] { read_capture(folder.path.string()); }).find("Is a directory"), std::string::npos
    );
}

TEST(CaptureFile, ContradictionsAreNotWritten) {
    const auto message = [](const std::function<void(Capture&)>& spoil) {
        Capture capture = rich_capture();
        spoil(capture);
        return message_of([&] { encode(capture, "run.wlcap"); });
    };
    EXPECT_NE(
        message([](Capture& c) { c.tiles[3].probe = 99; }).find("tile 3 names probe 99"), std::string::npos
    );
    EXPECT_NE(
        message([](Capture& c) { c.tiles[0].values = 9999; }).find("tile 0 names blob"), std::string::npos
    );
    EXPECT_NE(
        message([](Capture& c) { c.tiles[0].rows = 63; }).find("and its blob 16384 bytes"), std::string::npos
    );
    EXPECT_NE(
        message([](Capture& c) { c.sites[5].inlined_at = 5; }).find("inlined without end"), std::string::npos
    );
    EXPECT_NE(
        message([](Capture& c) { c.findings[0].caused_by = 1; }).find("finding 0 names cause"),
        std::string::npos
    );
    EXPECT_NE(
        message([](Capture& c) { c.records[0].events[9].site = 1000; }).find("event 9 of record 0"),
        std::string::npos
    );
    EXPECT_NE(
        message([](Capture& c) { c.records[1].warps = 33; }).find("record 1 is of 33 warps"),
        std::string::npos
    );
}

TEST(CaptureFile, AFolderThatCannotBeWrittenIsNamed) {
    const Folder folder;
    std::ofstream(folder.file("plain")) << "x";
    const auto message = [](const std::string& path) {
        return message_of([&] { write_capture(Capture(), path); });
    };
    const std::string below_file = folder.file("plain") + "/run.wlcap";
    EXPECT_EQ(message(below_file), "cannot write " + below_file + ": Not a directory.");
    const std::string nowhere = folder.file("none") + "/run.wlcap";
    EXPECT_EQ(message(nowhere), "cannot write " + nowhere + ": No such file or directory.");
    EXPECT_NE(message("/proc/run.wlcap").find("cannot write /proc/run.wlcap: "), std::string::npos);
    EXPECT_NE(message(folder.path.string()).find("Is a directory"), std::string::npos);
    EXPECT_NE(message("/dev/null").find("/dev/null: it is not a regular file"), std::string::npos);
    EXPECT_EQ(folder.entries(), 1U);
    if (geteuid() != 0) {
        fs::permissions(folder.path, fs::perms::owner_read | fs::perms::owner_exec);
        EXPECT_NE(message(folder.file("run.wlcap")).find("Permission denied"), std::string::npos);
        fs::permissions(folder.path, fs::perms::owner_all);
    }
}

TEST(CaptureFile, FailureKeepsTheOldFile) {
    const Folder folder;
    const std::string path = folder.file("run.wlcap");
    const Capture old;
    write_capture(old, path);
    Capture contradictory = rich_capture();
    contradictory.tiles[3].probe = 99;
    EXPECT_NE(message_of([&] { write_capture(contradictory, path); }), "");
    EXPECT_TRUE(read_capture(path) == old);
    write_capture(rich_capture(), path);
    EXPECT_TRUE(read_capture(path) == rich_capture());
    EXPECT_EQ(folder.entries(), 1U);
}

// Killed at moments spread over the time of one writing: the path holds the old capture or the new one.
TEST(CaptureFile, KillingTheWriterLeavesTheOldFileOrTheNewOne) {
    const Folder folder;
    const std::string path = folder.file("run.wlcap");
    const Capture before, after = testing::synthetic_tiles(8 << 20);
    const auto begin = std::chrono::steady_clock::now();
    write_capture(after, path);
    const auto duration = std::chrono::steady_clock::now() - begin;
    int unfinished = 0;
    for (int trial = 0; trial < 30; ++trial) {
        write_capture(before, path);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            write_capture(after, path);
            _exit(0);
        }
        std::this_thread::sleep_for(duration * trial / 25);
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const Capture found = read_capture(path);
        EXPECT_TRUE(found == before || found == after);
        if (found == before) ++unfinished;
    }
    EXPECT_GT(unfinished, 5);
}

}  // namespace
}  // namespace wl::capture
