// PTX that others made: as text, ended by zeros, and inside fat binaries, packed and not.
#include "tests/support/program.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <zstd.h>

namespace wl::test {
namespace {

const std::string kText =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry ones(.param .u64 out) {\n.reg .b64 "
    "%rd<2>;\n"
    ".reg .b32 %r<2>;\nld.param.u64 %rd1, [out];\nmov.b32 %r1, 0f3F800000;\nst.global.b32 [%rd1], "
    "%r1;\nret;\n}\n";

template <class T>
void put(std::string& bytes, T value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
}

// A container of one entry, behind something else, as in an object file.
std::string fat_binary(uint16_t kind, const std::string& body, uint64_t flags, uint64_t whole) {
    std::string entry;
    put<uint16_t>(entry, kind);
    put<uint16_t>(entry, 0x101);
    put<uint32_t>(entry, 64);
    put<uint64_t>(entry, body.size());
    put<uint32_t>(entry, flags == 0 ? 0 : static_cast<uint32_t>(body.size()));
    put<uint32_t>(entry, 0);
    put<uint16_t>(entry, 0);
    put<uint16_t>(entry, 8);
    put<uint32_t>(entry, 80);
    put<uint64_t>(entry, 0);  // of a name
    put<uint64_t>(entry, flags);
    put<uint64_t>(entry, 0);
    put<uint64_t>(entry, whole);
    std::string out =
        "\x7f"
        "ELF and more";
    put<uint32_t>(out, 0xBA55ED50);
    put<uint16_t>(out, 1);
    put<uint16_t>(out, 16);
    put<uint64_t>(out, entry.size() + body.size());
    return out + entry + body;
}

// A token, its run of literals, and the length of the match that follows.
void put_run(std::string& out, const std::string& run, uint8_t match) {
    out += static_cast<char>((run.size() < 15 ? run.size() : 15) << 4 | match);
    if (run.size() >= 15) {
        size_t rest = run.size() - 15;
        for (; rest >= 255; rest -= 255) out += '\xff';
        out += static_cast<char>(rest);
    }
    out += run;
}

// Six spaces are written as one and a match of five at distance 1.
std::string lz4(const std::string& text) {
    const size_t spaces = text.find("      ");
    std::string out;
    put_run(out, text.substr(0, spaces + 1), 1);
    put<uint16_t>(out, 1);
    put_run(out, text.substr(spaces + 6), 0);
    return out;
}

std::string zstd(const std::string& text) {
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    return packed;
}

struct PtxFile : testing::Test {
    TemporaryFolder folder;
    Said check(const std::string& name, const std::string& bytes) const {
        write_file(folder.path + "/" + name, bytes);
        return warplens({"check", folder.path + "/" + name});
    }
    void expect_ones(const std::string& name, const std::string& bytes) const {
        const Said said = check(name, bytes);
        EXPECT_EQ(said.status, 0) << name << said.err;
        EXPECT_NE(said.out.find("ones  4 instructions"), std::string::npos) << said.out;
    }
};

TEST_F(PtxFile, ZerosBehindTheTextAreNoPartOfIt) { expect_ones("warp.ptx", kText + std::string(3, '\0')); }

TEST_F(PtxFile, FatBinariesAreOpened) {
    expect_ones("plain.fatbin", fat_binary(1, kText + std::string(5, '\0'), 0, 0));
    const std::string spaced = "      " + kText;
    expect_ones("lz4.o", fat_binary(1, lz4(spaced), 0x2000, spaced.size()));
    expect_ones("zstd.cubin", fat_binary(1, zstd(kText), 0x8000, kText.size()));
}

TEST_F(PtxFile, WhatUnpacksToFarMoreThanItHoldsIsNotUnpacked) {
    const std::string wide = kText + std::string(60'000, ' '), bomb = kText + std::string(32 << 20, ' ');
    expect_ones("wide.fatbin", fat_binary(1, zstd(wide), 0x8000, wide.size()));
    EXPECT_EQ(check("bomb.fatbin", fat_binary(1, zstd(bomb), 0x8000, bomb.size())).status, 2);
}

TEST_F(PtxFile, MachineCodeAloneIsRefusedWithTheWayOut) {
    const Said said = check("code.cubin", fat_binary(2, "machine", 0, 0));
    EXPECT_EQ(said.status, 2);
    EXPECT_NE(said.err.find("holds machine code for sm_80 and no PTX"), std::string::npos) << said.err;
    EXPECT_NE(said.err.find("code=compute_90"), std::string::npos) << said.err;
    EXPECT_EQ(check("broken.fatbin", fat_binary(1, "not packed", 0x8000, 4096)).status, 2);
}

TEST_F(PtxFile, AManifestTakesThemForItsSource) {
    write_file(folder.path + "/ones.ptx", kText + std::string(1, '\0'));
    write_file(
        folder.path + "/ones.toml",
        "source = \"ones.ptx\"\nargs = [{ name = \"out\", dtype = \"float\", shape = [1], output = true }]\n"
        "[launch]\ngrid = [1]\nblock = [1]\n"
    );
    const Said said = warplens({"run", folder.path + "/ones.toml", "-o", folder.path + "/out.wlcap"});
    EXPECT_EQ(said.status, 3) << said.out << said.err;
    EXPECT_NE(
        said.out.find("output out: not compared; 0 of 1 elements compared; in [1, 1]"), std::string::npos
    ) << said.out;
}

}  // namespace
}  // namespace wl::test
