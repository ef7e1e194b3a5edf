// A source with the user's own headers in the place of their #include: one text, of which every line is known
// to stand in some file.
#pragma once

#include "instrumentation/compile/compile.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace wl::compile {

struct UnitFile {
    std::string path;  // absolute
    std::string text;
};

// Characters of the unit that stand so, in the same order, in one of its files.
struct UnitPiece {
    size_t begin = 0, end = 0;  // in the unit
    int line = 1;               // of `begin` in the unit
    size_t file = 0;            // index in Unit::files
    size_t offset = 0;          // of `begin` in the file
    int file_line = 1;
};

struct Unit {
    std::string text;
    std::vector<UnitFile> files;  // the source first
    std::vector<UnitPiece> pieces;
};

// Headers found beside the file that includes them or in `options.include`; those of toolkits, of the marks
// and what is found nowhere stay #include. The source alone where a header is meant to be read more than
// once, or where all of them are longer than anybody's own (512 KiB). Throws Error when a file cannot be
// read.
Unit read_unit(const CompileOptions& options, const std::string& text);

struct UnitPlace {
    size_t file = 0;  // index in Unit::files
    int line = 0;
};
UnitPlace place_of(const Unit& unit, int line);
// The line of the unit; nothing where it holds no such file.
std::optional<int> line_of(const Unit& unit, const UnitPlace& place);
// Of a path as a message names it.
std::optional<size_t> file_named(const Unit& unit, const std::string& path);

// The piece that holds these characters whole; null: they are of two files.
const UnitPiece* piece_of(const Unit& unit, size_t begin, size_t length);

}  // namespace wl::compile
