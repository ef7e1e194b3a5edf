// A sealed SQLite file of ours (captures, recorded launches) as rows of cells, to be changed and written
// again: with whatever types, hashes and seals.
#pragma once

#include "fuzz/random.h"
#include "instrumentation/capture/schema.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wl::fuzz {

struct Schema {
    std::span<const capture::Table> tables;
    std::vector<std::string_view> more;  // indexes and views
    uint32_t application_id = 0, version = 0;
    int left_out = -1;  // the table that the second seal does not cover; -1: there is no second one
};

struct Cell {
    int type = 0;  // SQLITE_NULL, ...
    int64_t integer = 0;
    double real = 0;
    std::string bytes;  // of a text or a blob
};
using Row = std::vector<Cell>;  // the last one is the check

struct Fact {
    std::string key, value;
    int64_t check = 0;
};

struct Content {
    std::vector<std::vector<Row>> tables;  // in the schema's order
    std::vector<Fact> meta;
};

enum class Seals : uint8_t {
    renewed,       // as the program writes them: the file is taken for one of its own
    rows_renewed,  // the hash of each row agrees, the seal over all rows (but those of meta) is the old one
    kept,          // as they were
};

// Of the changed tables those whose hashes all agree then.
std::set<std::string> renewed_of(const std::set<std::string>& touched, Seals seals);

Content read_content(std::string_view file, const Schema& schema);
std::string write_content(Content content, const Schema& schema, Seals seals);

// One to three changes of cells, rows, columns or of what the file says of itself; which tables they touched.
struct Changes {
    std::set<std::string> touched;
    std::string how;
};
Changes change(Random& random, Content& content, const Schema& schema);

}  // namespace wl::fuzz
