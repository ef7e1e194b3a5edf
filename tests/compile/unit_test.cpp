// A source with its own headers in it: what stands where, and what is left alone.
#include "instrumentation/compile/unit.h"

#include "instrumentation/base/text.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

struct Folder {
    fs::path path = fs::temp_directory_path() / ("unit" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path / "parts"); }
    ~Folder() { fs::remove_all(path); }
    void put(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
    Unit read(const std::string& source) const {
        put("k.cu", source);
        CompileOptions options;
        options.source_path = (path / "k.cu").string();
        return read_unit(options, source);
    }
};

// Every line of the unit that stands in a file says there what it says here.
void expect_lines_stand_where_told(const Unit& unit) {
    for (const UnitPiece& piece : unit.pieces) {
        const UnitFile& file = unit.files[piece.file];
        EXPECT_EQ(
            unit.text.substr(piece.begin, piece.end - piece.begin),
            file.text.substr(piece.offset, piece.end - piece.begin)
        );
        EXPECT_EQ(place_of(unit, piece.line).line, piece.file_line);
        EXPECT_EQ(line_of(unit, {piece.file, piece.file_line}), piece.line);
    }
}

TEST(Unit, ASourceWithoutHeadersIsItself) {
    const Folder folder;
    const std::string text = "#include <cuda_fp16.h>\n#include \"nowhere.h\"\n__global__ void k() {}\n";
    const Unit unit = folder.read(text);
    EXPECT_EQ(unit.text, text);
    EXPECT_EQ(unit.files.size(), 1u);
    EXPECT_EQ(place_of(unit, 3).line, 3);
}

TEST(Unit, HeadersStandInThePlaceOfTheirInclude) {
    const Folder folder;
    folder.put("parts/a.cuh", "#pragma once\n#include \"b.cuh\"\nint a;\n");
    folder.put("parts/b.cuh", "// b\n#ifndef B\n#define B\nint b;\n#endif");
    const Unit unit =
        folder.read("int first;\n#include \"parts/a.cuh\"\n#include \"parts/b.cuh\"\nint last;\n");
    EXPECT_EQ(unit.text, "int first;\n\n// b\n\n#define B\nint b;\n\nint a;\n\nint last;\n");
    ASSERT_EQ(unit.files.size(), 3u);
    expect_lines_stand_where_told(unit);
    const auto b = file_named(unit, (folder.path / "parts/b.cuh").string());
    ASSERT_TRUE(b.has_value());
    EXPECT_EQ(line_of(unit, {*b, 4}), 6);
    EXPECT_EQ(place_of(unit, 8).line, 3) << "int a, the third line of a.cuh";
    EXPECT_EQ(unit.files[place_of(unit, 10).file].path, (folder.path / "k.cu").string());
    EXPECT_EQ(place_of(unit, 10).line, 4);
}

// A default that may be overridden begins like a guard, and is none.
TEST(Unit, AnIfndefAroundAPartOfAHeaderIsNoGuard) {
    const Folder folder;
    const std::string header = "#ifndef TILE\n#define TILE 16\n#endif\nint a;\n#ifdef X\nint b;\n#endif\n";
    folder.put("a.cuh", header);
    EXPECT_EQ(folder.read("#include \"a.cuh\"\nint k;\n").text, header + "int k;\n");
    const std::string twice = "#include \"a.cuh\"\n#include \"a.cuh\"\n";
    EXPECT_EQ(folder.read(twice).text, twice) << "it says the same twice, which is the compiler's to judge";
}

TEST(Unit, AGuardMayHoldOtherConditions) {
    const Folder folder;
    folder.put("a.cuh", "#ifndef A\n#define A\n#ifdef X\nint x;\n#endif\nint a;\n#endif\n");
    EXPECT_EQ(
        folder.read("#include \"a.cuh\"\n#include \"a.cuh\"\nint k;\n").text,
        "\n#define A\n#ifdef X\nint x;\n#endif\nint a;\n\n\nint k;\n"
    );
}

TEST(Unit, AnIncludeInACommentIsNone) {
    const Folder folder;
    folder.put("a.cuh", "int a;\n");
    const Unit unit = folder.read("// #include \"a.cuh\"\n/*\n#include \"a.cuh\"\n*/\nint k;\n");
    EXPECT_EQ(unit.files.size(), 1u);
}

TEST(Unit, WhatIsReadMoreThanOnceIsLeftToTheCompiler) {
    const Folder folder;
    folder.put("each.inc", "EACH(1)\nEACH(2)\n");
    const std::string text = "#include \"each.inc\"\nint k;\n#include \"each.inc\"\n";
    const Unit unit = folder.read(text);
    EXPECT_EQ(unit.text, text);
    EXPECT_EQ(unit.files.size(), 1u);
}

TEST(Unit, CharactersOfTwoFilesAreOfNoPiece) {
    const Folder folder;
    folder.put("a.cuh", "int a;\n");
    const Unit unit = folder.read("int k;\n#include \"a.cuh\"\nint l;\n");
    const size_t a = unit.text.find("int a"), l = unit.text.find("int l");
    ASSERT_NE(piece_of(unit, a, 5), nullptr);
    EXPECT_EQ(piece_of(unit, a, 5)->file, 1u);
    EXPECT_EQ(piece_of(unit, a, l + 3 - a), nullptr);
}

}  // namespace
}  // namespace wl::compile
