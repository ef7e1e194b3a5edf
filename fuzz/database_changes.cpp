// Changes of a file's contents by its schema.
#include "fuzz/database.h"
#include "fuzz/ptx_mutations.h"
#include "fuzz/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <sqlite3.h>
#include <zstd.h>

namespace wl::fuzz {
namespace {

// Numbers in these files are often indices: of rows that are there, or just beyond.
int64_t near_count(Random& random, const Content& content) {
    const auto rows = static_cast<int64_t>(one_of(random, content.tables).size());
    return rows - 1 + static_cast<int64_t>(random() % 3);
}

void change_type(Random& random, Cell& cell) {
    constexpr std::array<int, 5> kTypes = {
        SQLITE_NULL, SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT, SQLITE_BLOB};
    cell.type = one_of(random, kTypes);
}

// A frame that says how much it holds, and holds so many zeros.
std::string bomb(Random& random) {
    const std::string zeros(size_t{1} << 12 << 4 * (random() % 4), '\0');
    std::string packed(ZSTD_compressBound(zeros.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), zeros.size(), 1));
    return packed;
}

void change_cell(Random& random, Cell& cell, const Content& content, std::string_view column) {
    if (random() % 16 == 0) return change_type(random, cell);
    switch (cell.type) {
        case SQLITE_INTEGER:
            cell.integer = random() % 4 == 0 ? near_count(random, content) : changed(random, cell.integer);
            break;
        case SQLITE_FLOAT: cell.real = changed(random, cell.real); break;
        case SQLITE_TEXT:
            cell.bytes = column == "ptx" && chance(random, 80)
                ? mutated_ptx(static_cast<unsigned>(random()), cell.bytes)
                : changed_text(random, cell.bytes);
            break;
        case SQLITE_BLOB:
            cell.bytes =
                column == "packed" && chance(random, 30) ? bomb(random) : changed_bytes(random, cell.bytes);
            break;
        default: cell = {SQLITE_INTEGER, near_count(random, content), 0, {}};
    }
    if (cell.type == SQLITE_FLOAT && std::isnan(cell.real)) cell.type = SQLITE_NULL;  // as SQLite stores it
}

std::vector<std::string> names_of(const capture::Table& table) {
    std::vector<std::string> names;
    for (size_t begin = 0; begin < table.columns.size();) {
        const size_t end = std::min(table.columns.find(", ", begin), table.columns.size());
        const std::string_view column = table.columns.substr(begin, end - begin);
        names.emplace_back(column.substr(0, column.find(' ')));
        begin = end + 2;
    }
    return names;
}

// SQLite takes nothing else for the number of a row.
void number_type(std::vector<Row>& rows) {
    for (Row& row : rows) row.front().type = SQLITE_INTEGER;
}

void number_rows(std::vector<Row>& rows, int64_t first) {
    for (size_t row = 0; row < rows.size(); ++row)
        rows[row].front() = {SQLITE_INTEGER, static_cast<int64_t>(static_cast<uint64_t>(first) + row), 0, {}};
}

std::string change_rows(Random& random, std::vector<Row>& rows) {
    const size_t from = below(random, rows.size()), to = below(random, rows.size());
    const int64_t first = rows.front().front().integer;
    const bool numbered = chance(random, 85);  // as an honest writer numbers them
    const char* how = "";
    switch (random() % 4) {
        case 0:
            rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(from));
            how = "lost";
            break;
        case 1:
            rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(to), Row(rows[from]));
            how = "doubled";
            break;
        case 2:
            std::swap(rows[from], rows[to]);
            how = "exchanged";
            break;
        default: rows.resize(from); how = "and all after it lost";
    }
    if (numbered) number_rows(rows, first);
    return fmt::format("row {} {}", from, how);
}

std::string change_table(Random& random, Content& content, size_t index, const capture::Table& table) {
    std::vector<Row>& rows = content.tables[index];
    if (random() % 6 == 0) return change_rows(random, rows);
    const std::vector<std::string> names = names_of(table);
    const size_t row = below(random, rows.size());
    const size_t column = random() % 24 == 0 ? 0 : 1 + below(random, names.size() - 1);
    Cell& cell = rows[row][column];
    switch (random() % 8) {
        case 0: cell = Cell(one_of(random, rows)[column]); break;  // of another row
        case 1: {                                                  // all rows alike
            change_cell(random, cell, content, names[column]);
            const Cell same = cell;
            for (Row& other : rows) other[column] = same;
            break;
        }
        case 2: cell = Cell(one_of(random, rows[row])); break;  // of another column
        default: change_cell(random, cell, content, names[column]);
    }
    if (column == 0) number_type(rows);
    return fmt::format("row {} column {}", row, names[column]);
}

std::string change_meta(Random& random, Content& content) {
    const size_t at = below(random, content.meta.size());
    const std::string key = content.meta[at].key;
    switch (random() % 4) {
        case 0: content.meta.erase(content.meta.begin() + static_cast<std::ptrdiff_t>(at)); break;
        case 1: content.meta[at].key = changed_text(random, key); break;
        case 2: content.meta[at].value = std::to_string(edge_integer(random)); break;
        default: content.meta[at].value = changed_text(random, content.meta[at].value);
    }
    return "meta " + key;
}

}  // namespace

Changes change(Random& random, Content& content, const Schema& schema) {
    Changes changes;
    constexpr std::array<size_t, 6> kHowMany = {1, 1, 1, 1, 2, 3};
    for (size_t left = one_of(random, kHowMany); left > 0; --left) {
        // The first says what is run: a quarter of all changes.
        const size_t table = chance(random, 25) ? 0 : below(random, schema.tables.size() + 1);
        const bool meta = table == schema.tables.size();
        if (meta ? content.meta.empty() : content.tables[table].empty()) continue;
        const std::string name = meta ? "meta" : std::string(schema.tables[table].name);
        changes.how += name + ": ";
        changes.how +=
            meta ? change_meta(random, content) : change_table(random, content, table, schema.tables[table]);
        changes.how += "; ";
        changes.touched.insert(name);
    }
    return changes;
}

}  // namespace wl::fuzz
