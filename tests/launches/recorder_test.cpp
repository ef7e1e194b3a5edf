// What the recorder does inside a program, as far as it needs no driver: memory that is followed, modules,
// messages, and what they become outside.
#include "instrumentation/launches/receive.h"
#include "instrumentation/recorder/images.h"
#include "instrumentation/recorder/reach.h"

#include <cstring>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace wl::launches {
namespace {

using recorder::Packet;
using recorder::Range;
using recorder::Tag;
using Bytes = std::vector<std::byte>;

Bytes words(const std::vector<uint64_t>& all) {
    Bytes out(all.size() * sizeof(uint64_t));
    std::memcpy(out.data(), all.data(), out.size());
    return out;
}

// Allocations by address.
struct Heap {
    std::map<uint64_t, Bytes> all;
    recorder::Memories memories(uint64_t limit) {
        return {
            [this](uint64_t address) -> std::optional<Range> {
                for (const auto& [base, bytes] : all)
                    if (address - base < bytes.size()) return Range{base, bytes.size()};
                return std::nullopt;
            },
            [this](const Range& r) {
                for (const auto& [base, bytes] : all)
                    if (r.base - base < bytes.size()) {
                        const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(r.base - base);
                        return Bytes(first, first + static_cast<std::ptrdiff_t>(r.bytes));
                    }
                return Bytes{};
            },
            limit};
    }
};

constexpr uint64_t kA = 0x7f00'0000'0000, kB = 0x7f00'0010'0000, kC = 0x7f40'0000'0000;

TEST(Recorder, AddressesAreFollowedIntoMemoryAndOn) {
    Heap heap{
        {{kA, words({kB + 8, 0, 17})}, {kB, words({1, kC, 0x3f80'0000'3f80'0000})}, {kC, words({kA + 4})}}
    };
    recorder::Reach reach;
    recorder::follow(reach, 0, words({5, kA + 16, kA}), heap.memories(1 << 20));
    ASSERT_EQ(reach.all.size(), 3U);
    EXPECT_EQ(reach.all[0].range, (Range{kA, 24}));
    EXPECT_EQ(reach.all[1].range, (Range{kB, 24}));
    EXPECT_EQ(reach.all[2].range, (Range{kC, 8}));
    EXPECT_EQ(reach.all[2].bytes, words({kA + 4}));
    EXPECT_EQ(reach.asked, 3U);  // each once; numbers that cannot be addresses not at all
    EXPECT_TRUE(reach.notes.empty());
}

TEST(Recorder, WhatIsBeyondTheLimitIsKeptInPartAndSaid) {
    Heap heap{
        {{kA, Bytes(1000)}, {kB, Bytes(4096)}, {kC, Bytes(10)}}
    };
    recorder::Reach reach;
    recorder::follow(reach, 0, words({kA, kB + 700, kC}), heap.memories(2000));
    ASSERT_EQ(reach.all.size(), 2U);
    EXPECT_EQ(reach.all[1].range, (Range{kB + 512, 1000}));
    EXPECT_EQ(
        reach.notes,
        (std::vector<std::string>{
            "of 4096 bytes at 0x7f0000100000 1000 from 0x7f0000100200 were kept: --limit allows no more",
            "of 10 bytes at 0x7f4000000000 nothing was kept: --limit allows no more"})
    );
}

TEST(Recorder, WhatCannotBeReadIsSaid) {
    Heap heap{{{kA, Bytes(16)}}};
    recorder::Memories memories = heap.memories(1 << 20);
    memories.read = [](const Range&) { return Bytes{}; };
    recorder::Reach reach;
    recorder::follow(reach, 0, words({kA}), memories);
    EXPECT_TRUE(reach.all.empty());
    EXPECT_EQ(reach.notes, std::vector<std::string>{"16 bytes at 0x7f0000000000 could not be read"});
}

TEST(Recorder, SizesOfModulesAreReadFromTheirHeaders) {
    Bytes fat(16 + 100);
    const uint32_t magic = 0xba55ed50, wrapper_magic = 0x466243b1;
    const uint16_t header = 16;
    const uint64_t size = 100;
    std::memcpy(fat.data(), &magic, 4), std::memcpy(fat.data() + 6, &header, 2),
        std::memcpy(fat.data() + 8, &size, 8);
    EXPECT_EQ(recorder::image_at(fat.data()).bytes.size(), 116U);
    EXPECT_FALSE(recorder::image_at(fat.data()).stays);
    Bytes wrapper(24);
    const void* const inner = fat.data();
    std::memcpy(wrapper.data(), &wrapper_magic, 4), std::memcpy(wrapper.data() + 8, &inner, 8);
    const recorder::Image image = recorder::image_at(wrapper.data());
    EXPECT_EQ(image.bytes.data(), fat.data());
    EXPECT_EQ(image.bytes.size(), 116U);
    EXPECT_TRUE(image.stays);
    EXPECT_EQ(recorder::image_at(".version 8.0\n").bytes.size(), 13U);

    Bytes cubin(sizeof(Elf64_Ehdr) + 200 + 2 * sizeof(Elf64_Shdr));
    Elf64_Ehdr elf{};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_shoff = sizeof elf, elf.e_shnum = 2, elf.e_shentsize = sizeof(Elf64_Shdr);
    Elf64_Shdr section{};
    section.sh_type = SHT_PROGBITS, section.sh_offset = sizeof elf + 2 * sizeof section,
    section.sh_size = 200;
    std::memcpy(cubin.data(), &elf, sizeof elf);
    std::memcpy(cubin.data() + sizeof elf + sizeof section, &section, sizeof section);
    EXPECT_EQ(recorder::image_at(cubin.data()).bytes.size(), cubin.size());
}

TEST(Recorder, AKernelIsFoundInPtxByItsWholeName) {
    const std::string_view ptx = ".visible .entry scale_rows(\n)\n{}\n.entry\n  scale( .param .u64 a )\n";
    EXPECT_TRUE(recorder::defines(ptx, "scale"));
    EXPECT_TRUE(recorder::defines(ptx, "scale_rows"));
    EXPECT_FALSE(recorder::defines(ptx, "scale_row"));
    EXPECT_FALSE(recorder::defines("// .func scale", "scale"));
}

TEST(Recorder, VariablesOfAModule) {
    const std::string_view ptx =
        ".version 8.0\n"
        ".visible .const .align 4 .b8 coefficients[16];\n"
        ".global .align 4 .u32 counter;\n"
        ".visible .global .align 8 .u64 history = generic(counter);\n"
        ".global .texref image;\n"
        ".extern .global .align 4 .b8 elsewhere[];\n"
        ".visible .entry k(.param .u64 p)\n{\n\t.shared .align 4 .b8 part[16];\n"
        "\tld.global.u32 %r1, [%rd1];\n}\n"
        ".weak .global .align 1 .b8 text[3] = {1, 2, 3};\n";
    EXPECT_EQ(variables_of(ptx), (std::vector<std::string>{"coefficients", "counter", "history", "text"}));
}

TEST(Recorder, MessagesComeWholeAndShortOnesAreNotBelieved) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const Bytes large(3 << 20, std::byte{7});
    std::thread teller([&] {
        recorder::send(
            ends[0], Tag::memory, Packet{}.number(0).number(kA).text("name").raw(large.data(), large.size())
        );
        close(ends[0]);
    });
    const std::optional<recorder::Message> got = recorder::receive(ends[1]);
    teller.join();
    ASSERT_TRUE(got);
    recorder::Unpacker out{got->bytes};
    EXPECT_EQ(out.number(), 0U);
    EXPECT_EQ(out.number(), kA);
    EXPECT_EQ(out.text(), "name");
    EXPECT_EQ(out.rest(), large);
    EXPECT_TRUE(out.fine);
    EXPECT_EQ(out.number(), 0U);
    EXPECT_FALSE(out.fine);
    EXPECT_FALSE(recorder::receive(ends[1]));
    close(ends[1]);
}

const char* const kPtx =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 counter;\n"
    ".visible .entry k(.param .u64 p)\n{\nret;\n}\n";

Packet begin() {
    Packet out;
    out.text("k").text("NVIDIA H200").text("").number(7).number(2);
    for (const uint64_t n : {4, 1, 1, 128, 1, 1, 1, 1, 1}) out.number(n);
    return out.number(64).number(1024).number(0);
}

std::optional<Packet> tell(Receiving& r, Tag tag, const Packet& packet) {
    return take(r, {tag, packet.bytes});
}

TEST(Recorder, MessagesBecomeALaunch) {
    Receiving r;
    ASSERT_TRUE(tell(r, Tag::begin, begin()));
    const std::optional<Packet> names = tell(r, Tag::image, Packet{}.raw(kPtx, std::strlen(kPtx)));
    ASSERT_TRUE(names);
    recorder::Unpacker answer{names->bytes};
    EXPECT_EQ(answer.number(), 1U);
    EXPECT_EQ(answer.text(), "counter");
    tell(r, Tag::params, Packet{}.number(kA));
    tell(r, Tag::memory, Packet{}.number(1).number(kB).text("counter").raw("\1\0\0\0", 4));
    tell(r, Tag::memory, Packet{}.number(0).number(kA).text("").raw("abcd", 4));
    tell(r, Tag::after, Packet{}.number(0).number(1).raw("\2\0\0\0", 4));
    tell(r, Tag::after, Packet{}.number(1).number(0));
    tell(r, Tag::after, Packet{}.number(9).number(0));
    tell(r, Tag::end, {});
    complete(r);
    EXPECT_TRUE(r.ended);
    const RecordedLaunch& l = r.launch;
    EXPECT_EQ(inconsistency(l), "");
    EXPECT_EQ(l.entry, "k");
    EXPECT_EQ(l.grid, (Dim3{4, 1, 1}));
    EXPECT_EQ(l.block, (Dim3{128, 1, 1}));
    EXPECT_EQ(l.device, "NVIDIA H200");
    EXPECT_EQ(l.number, 7U);
    EXPECT_EQ(l.of_entry, 2U);
    EXPECT_EQ(l.ptx, kPtx);
    EXPECT_EQ(l.fault, "");
    ASSERT_EQ(l.memory.size(), 2U);
    EXPECT_TRUE(l.memory[0].is_variable);
    EXPECT_EQ(l.memory[0].after, After::changed);
    EXPECT_EQ(l.memory[1].after, After::unchanged);
}

TEST(Recorder, AProgramThatEndsInTheLaunchLeavesWhatWasBeforeIt) {
    Receiving r;
    tell(r, Tag::begin, begin());
    tell(
        r,
        Tag::image,
        Packet{}.raw(
            "\x7f"
            "ELF",
            4
        )
    );
    tell(r, Tag::memory, Packet{}.number(0).number(kA).text("").raw("abcd", 4));
    complete(r);
    EXPECT_EQ(r.launch.fault, "the program ended during the launch");
    EXPECT_EQ(r.launch.memory[0].after, After::unknown);
    EXPECT_EQ(r.launch.ptx, "");
    ASSERT_EQ(r.launch.notes.size(), 1U);
    EXPECT_EQ(r.launch.notes[0].find("the module was a cubin without PTX: build it with -gencode"), 0U);
}

TEST(Recorder, PtxOfACubinIsTheProgramsOwnOrTritons) {
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "wllaunch-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    fs::create_directories(folder + "/a");
    const std::string cubin =
                          "\x7f"
                          "ELF one",
                      other =
                          "\x7f"
                          "ELF two";
    std::ofstream(folder + "/a/k.cubin") << other;
    std::ofstream(folder + "/a/k.ptx") << "not this";
    std::ofstream(folder + "/k.cubin") << cubin;
    std::ofstream(folder + "/k.ptx") << kPtx;
    EXPECT_EQ(triton_text(folder, cubin), kPtx);
    EXPECT_EQ(
        triton_text(
            folder,
            "\x7f"
            "ELF six"
        ),
        ""
    );
    EXPECT_EQ(triton_text(folder + "/nowhere", cubin), "");
    Receiving r;
    tell(r, Tag::begin, begin());
    tell(r, Tag::text, Packet{}.text("the program's own"));
    tell(r, Tag::image, Packet{}.raw(cubin.data(), cubin.size()));
    EXPECT_EQ(r.launch.ptx, "the program's own");
    fs::remove_all(folder);
}

}  // namespace
}  // namespace wl::launches
