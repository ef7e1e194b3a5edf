// What is written of a launch comes back, and nothing else does.
#include "instrumentation/launches/launch_file.h"

#include "instrumentation/base/error.h"
#include "instrumentation/capture/capture.h"
#include "instrumentation/capture/file.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <sqlite3.h>

namespace wl::launches {
namespace {

using Bytes = std::vector<std::byte>;

Bytes noise(size_t bytes, uint64_t seed) {
    std::mt19937_64 random(seed);
    Bytes out(bytes);
    for (std::byte& b : out) b = static_cast<std::byte>(random());
    return out;
}

// Every field different from its default; memory of more than a page.
RecordedLaunch rich_launch() {
    RecordedLaunch l;
    l.ptx = ".version 8.0\n.target sm_80\n", l.image = "lib.so", l.entry = "_Z5scalePff";
    l.grid = {7, 2, 3}, l.block = {64, 2, 1}, l.dynamic_shared = 4096, l.stack = 2048, l.cooperative = true;
    l.params = noise(12, 1);
    l.memory = {
        {"arg0",          false,     0x7f10'0000'0200, noise(100,                2),                          After::unknown, {}},
        {"",               false,                       0xffff'ffff'0000'0000,                    noise(17, 3), After::unchanged,             {}},
        {"table",             true,                      0x7f10'0000'0000,                                noise(256,                                        4),                              After::changed,noise(256, 5)},
        {"counter", true, 0,               Bytes(4),                                       After::unknown,                             {}                                               }
    };
    l.memory.push_back({"big", false, 0x7f20'0000'0000, Bytes(20 << 20), After::unknown, {}});
    Bytes left = l.memory.back().before;
    left[left.size() - 1] = std::byte{1};
    set_left(l.memory.back(), left);
    l.device = "NVIDIA H200", l.fault = "CUDA_ERROR_LAUNCH_FAILED", l.command = {"./prog", "a b", ""};
    l.number = 12, l.of_entry = 3, l.notes = {"the allocation at 0x7f30 was not kept: 3 GiB"};
    return l;
}

std::string message_of(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) { return error.what(); }
    return {};
}
std::string message_of_decoding(const Bytes& file) {
    return message_of([&] { decode(file, "x.wllaunch"); });
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

TEST(LaunchFile, EverythingComesBack) {
    const RecordedLaunch written = rich_launch();
    const Bytes file = encode(written, "a");
    EXPECT_LT(file.size(), 65536U);  // 20 MiB of zeros, twice
    EXPECT_TRUE(decode(file, "a") == written);
    EXPECT_TRUE(encode(decode(file, "a"), "b") == file);
}

TEST(LaunchFile, WhatALaunchLeftIsKeptOnceWhereItIsTheSame) {
    Memory memory{"a", false, 256, noise(64, 1), After::unknown, {}};
    set_left(memory, memory.before);
    EXPECT_EQ(memory.after, After::unchanged);
    EXPECT_TRUE(memory.left.empty());
    EXPECT_EQ(left_in(memory), memory.before);
    set_left(memory, noise(64, 2));
    EXPECT_EQ(memory.after, After::changed);
    EXPECT_EQ(left_in(memory), noise(64, 2));
}

TEST(LaunchFile, EveryPrefixIsRejectedAsTruncated) {
    const Bytes file = encode(rich_launch(), "a");
    for (size_t size = 1; size < file.size(); size += size < 300 ? 1 : 499) {
        const std::string message =
            message_of_decoding(Bytes(file.begin(), file.begin() + static_cast<int64_t>(size)));
        ASSERT_NE(message.find("x.wllaunch is truncated"), std::string::npos) << size << ": " << message;
    }
    EXPECT_EQ(message_of_decoding({}), "x.wllaunch is empty: not a recorded launch.");
}

TEST(LaunchFile, ABitFlipIsRejectedOrChangesNothing) {
    RecordedLaunch written = rich_launch();
    written.memory.pop_back();
    const Bytes file = encode(written, "a");
    std::mt19937_64 random(1);
    int rejected = 0;
    for (int trial = 0; trial < 1500; ++trial) {
        Bytes flipped = file;
        const size_t bit = random() % (8 * file.size());
        flipped[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        try {
            ASSERT_TRUE(decode(flipped, "a") == written) << "bit " << bit << " changed the launch silently";
        } catch (const Error&) { ++rejected; }
    }
    EXPECT_GT(rejected, 100);  // most bytes of so small a file are nobody's
}

TEST(LaunchFile, WhatUnpacksToFarMoreThanItHoldsIsRefusedBeforeItDoes) {
    const Bytes file = encode(rich_launch(), "a");  // 40 MiB
    setenv("WARPLENS_UNPACK", "41M", 1);
    const std::string message = message_of_decoding(file);
    EXPECT_EQ(message.find("x.wllaunch would unpack to 41.9 MB, more than 41.0 MB"), 0U) << message;
    setenv("WARPLENS_UNPACK", "43M", 1);
    EXPECT_EQ(message_of_decoding(file), "");
    unsetenv("WARPLENS_UNPACK");
    EXPECT_EQ(message_of_decoding(file), "");
}

TEST(LaunchFile, NumbersThatNoDeviceTakesAreNoLaunch) {
    RecordedLaunch l = rich_launch();
    l.grid = {1, 65535, 65535}, l.block = {1024, 1, 1}, l.dynamic_shared = 232448;
    EXPECT_EQ(inconsistency(l), "");
    l.grid.y = 65536;
    EXPECT_EQ(inconsistency(l), "the launch's grid[1] is 65,536, the limit is 65,535");
    l.grid.y = 0;
    EXPECT_EQ(inconsistency(l), "the launch's grid[1] is 0, and must be at least 1");
    l.grid.y = 1, l.block.y = 2;
    EXPECT_EQ(
        inconsistency(l), "the launch's block is 2,048 threads (1024 x 2 x 1), the limit is 1,024 a block"
    );
    l.block.y = 1, l.dynamic_shared = 232449;
    EXPECT_NE(
        inconsistency(l).find("bytes of dynamic shared memory, the limit is 232,448"), std::string::npos
    );
}

TEST(LaunchFile, WhatAnotherProgramChangedIsRejected) {
    const Bytes file = encode(rich_launch(), "a");
    for (const char* sql :
         {"DELETE FROM page WHERE page_id = 2",
          "UPDATE memory SET base = 1",
          "UPDATE launch SET entry = 'other'",
          "DELETE FROM word",
          "INSERT INTO word SELECT word_id + 9, list, text, check_xxh3 FROM word",
          "CREATE TABLE more(a)",
          "CREATE TRIGGER t AFTER INSERT ON word BEGIN DELETE FROM page; END"})
        EXPECT_NE(message_of_decoding(changed_by(file, sql)).find("x.wllaunch is damaged"), std::string::npos)
            << sql;
    EXPECT_NE(
        message_of_decoding(changed_by(file, "PRAGMA user_version=20000")).find("the format 2.0"),
        std::string::npos
    );
}

TEST(LaunchFile, ACaptureIsNoLaunch) {
    EXPECT_EQ(
        message_of_decoding(capture::encode(capture::Capture{}, "a")),
        "x.wllaunch is an SQLite database, but not a WarpLens recorded launch."
    );
    EXPECT_NE(
        message_of([] { capture::decode(encode(rich_launch(), "a"), "c"); }).find("not a WarpLens capture"),
        std::string::npos
    );
}

TEST(LaunchFile, WhatCannotBeIsNotWritten) {
    RecordedLaunch launch = rich_launch();
    launch.memory[0].base = launch.memory[2].base + 255;
    EXPECT_EQ(
        message_of([&] { encode(launch, "x.wllaunch"); }),
        "cannot write x.wllaunch: memory at 0x7f1000000000 and at 0x7f10000000ff overlap."
    );
    launch = rich_launch();
    launch.memory[1].base = UINT64_MAX;
    EXPECT_NE(inconsistency(launch).find("ends beyond all addresses"), std::string::npos);
    launch = rich_launch();
    launch.memory[2].left.pop_back();
    EXPECT_NE(inconsistency(launch).find("has another size after the launch"), std::string::npos);
    launch = rich_launch();
    launch.entry.clear();
    EXPECT_EQ(inconsistency(launch), "the kernel has no name");
}

}  // namespace
}  // namespace wl::launches
