#include "fuzz/edits.h"

#include "instrumentation/base/error.h"

#include <sqlite3.h>
#include <sstream>

namespace wl::fuzz {
namespace {

[[noreturn]] void fail(const std::string& line) { throw Error("'" + line + "' is no edit"); }

std::string bytes_of(const std::string& text) {
    std::string bytes;
    for (size_t at = 0; at < text.size(); ++at) {
        const bool escaped = text.compare(at, 2, "\\x") == 0 && at + 4 <= text.size();
        bytes += escaped ? static_cast<char>(std::stoi(text.substr(at + 2, 2), nullptr, 16)) : text[at];
        if (escaped) at += 3;
    }
    return bytes;
}

std::string filled(size_t size, const std::string& pattern) {
    std::string bytes;
    for (size_t at = 0; at < size; ++at) {
        const size_t digit = at * 2 % pattern.size();
        bytes += static_cast<char>(std::stoi(pattern.substr(digit, 2), nullptr, 16));
    }
    return bytes;
}

Cell changed(const Cell& cell, const std::string& type, const std::string& value, const std::string& line) {
    if (type == "int") return {SQLITE_INTEGER, std::stoll(value), 0, {}};
    if (type == "real") return {SQLITE_FLOAT, 0, std::stod(value), {}};
    if (type == "null") return {SQLITE_NULL, 0, 0, {}};
    if (type == "text") return {SQLITE_TEXT, 0, 0, bytes_of(value)};
    if (type == "fill") return {SQLITE_BLOB, 0, 0, filled(cell.bytes.size(), value)};
    fail(line);
}

size_t column_named(const capture::Table& table, const std::string& name, const std::string& line) {
    const std::string columns = ", " + std::string(table.columns);
    const size_t at = columns.find(", " + name + " ");
    if (at == std::string::npos) fail(line);
    size_t index = 0;
    for (size_t comma = columns.find(", "); comma != at; comma = columns.find(", ", comma + 2)) ++index;
    return index;
}

std::string apply(Content& content, const Schema& schema, const std::string& line) {
    std::istringstream words(line);
    std::string table, column, type, value;
    size_t row = 0;
    if (!(words >> table >> row >> column >> type)) fail(line);
    std::getline(words >> std::ws, value);
    for (size_t index = 0; index < schema.tables.size(); ++index) {
        if (schema.tables[index].name != table) continue;
        if (row >= content.tables[index].size()) fail(line);
        Cell& cell = content.tables[index][row][column_named(schema.tables[index], column, line)];
        cell = changed(cell, type, value, line);
        return table;
    }
    fail(line);
}

}  // namespace

Edits read_edits(const std::string& text) {
    const size_t end = text.find('\n');
    if (end == std::string::npos) fail(text);
    return {text.substr(0, end), text.substr(end + 1)};
}

std::set<std::string> edit(Content& content, const Schema& schema, const std::string& lines) {
    std::set<std::string> touched;
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);)
        if (!line.empty() && line.front() != '#') touched.insert(apply(content, schema, line));
    return touched;
}

}  // namespace wl::fuzz
