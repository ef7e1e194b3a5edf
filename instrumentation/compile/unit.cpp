// Headers put in the place of their #include, one after the other, as the preprocessor would.
#include "instrumentation/compile/unit.h"

#include "instrumentation/base/lines.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/cpp_text.h"
#include "instrumentation/compile/headers.h"
#include "instrumentation/compile/toolkit.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 512 << 10;

// What follows the directive's name, `#  include "a.h"`; nothing where the line is none of that name.
std::optional<std::string_view> directive(std::string_view line, std::string_view name) {
    line = trimmed(line);
    if (!line.starts_with('#')) return std::nullopt;
    line = trimmed(line.substr(1));
    if (!line.starts_with(name)) return std::nullopt;
    line.remove_prefix(name.size());
    if (!line.empty() && is_word_char(line[0])) return std::nullopt;
    return trimmed(line);
}

// How a header sees to it that it is read once: by #pragma once, or all of it lies between #ifndef X with
// #define X behind it, and the #endif of that. Lines from 1.
struct Once {
    bool known = false;
    std::set<int> lines;  // that say so, but for the #define
};
Once once_of(const std::string& code) {
    Once out;
    std::string_view guard;
    int line = 0, depth = 0, opened = 0, closed = 0;
    bool first = true, next = false, guards = false;  // next: behind the #ifndef
    for (const std::string_view text : lines_of(code)) {
        ++line;
        if (trimmed(text).empty()) continue;
        if (const auto pragma = directive(text, "pragma")) {
            if (*pragma == "once") out.known = true, out.lines.insert(line);
            continue;
        }
        const auto ifndef = directive(text, "ifndef"), define = directive(text, "define");
        if (next) guards = define && define->substr(0, define->find_first_of(" \t")) == guard;
        if (closed > 0) guards = false;  // not all of it lies before
        next = first && ifndef;
        if (next) guard = *ifndef, opened = line;
        if (ifndef || directive(text, "ifdef") || directive(text, "if")) ++depth;
        if (directive(text, "endif") && --depth == 0 && closed == 0) closed = line;
        first = false;
    }
    if (guards && closed > 0) out.known = true, out.lines.insert({opened, closed});
    return out;
}

struct Writing {
    const std::vector<std::string>& include;
    const std::vector<std::string>& others;  // folders whose headers are nobody's own
    Unit unit = {};
    bool refused = false;  // a header that is read more than once, or too much of them

    void put(size_t file, size_t offset, int file_line, std::string_view text) {
        if (text.empty()) return;
        const int line = line_at(unit.text, unit.text.size());
        unit.pieces.push_back(
            {unit.text.size(), unit.text.size() + text.size(), line, file, offset, file_line}
        );
        unit.text += text;
    }

    std::optional<fs::path> own_header(const fs::path& folder, std::string_view rest) const {
        const std::string name = name_at(rest);
        if (name.empty()) return std::nullopt;
        std::vector<fs::path> folders;
        if (rest[0] == '"') folders.push_back(folder);
        folders.insert(folders.end(), include.begin(), include.end());
        for (const fs::path& each : folders) {
            std::error_code ignored;
            const fs::path path = (each / name).lexically_normal();
            if (!fs::is_regular_file(path, ignored)) continue;
            const bool of_toolkit = std::any_of(others.begin(), others.end(), [&](const std::string& o) {
                return path.string().starts_with(o);
            });
            return of_toolkit ? std::nullopt : std::optional(path);
        }
        return std::nullopt;
    }

    void write_header(const fs::path& path) {
        const auto known = std::find_if(unit.files.begin(), unit.files.end(), [&](const UnitFile& f) {
            return f.path == path.string();
        });
        if (known != unit.files.end()) {
            refused = refused || known == unit.files.begin() || !once_of(code_of(known->text)).known;
            unit.text += '\n';  // its include's line stays empty
            return;
        }
        unit.files.push_back({path.string(), read_text_file(path.string())});
        write(unit.files.size() - 1);
        if (!unit.text.ends_with('\n')) unit.text += '\n';
    }

    void write(size_t file) {
        const std::string text = unit.files[file].text, code = code_of(text);
        const fs::path folder = fs::path(unit.files[file].path).parent_path();
        const Once once = file > 0 ? once_of(code) : Once{};
        size_t from = 0;
        int from_line = 1, line = 1;
        for (size_t begin = 0; begin < text.size() && !refused; ++line) {
            const size_t end = std::min(code.find('\n', begin), code.size()),
                         next = std::min(end + 1, text.size());
            const std::string_view here = std::string_view(code).substr(begin, end - begin);
            const auto rest = directive(here, "include");
            const auto header = rest ? own_header(folder, *rest) : std::nullopt;
            if (header || once.lines.contains(line)) {
                put(file, from, from_line, std::string_view(text).substr(from, begin - from));
                from = next, from_line = line + 1;
                if (header)
                    write_header(*header);
                else
                    unit.text += '\n';
            }
            refused = refused || unit.text.size() > kMostBytes;
            begin = next;
        }
        put(file, from, from_line, std::string_view(text).substr(from));
    }
};

}  // namespace

Unit read_unit(const CompileOptions& options, const std::string& text) {
    const Toolkit toolkit = find_toolkit();
    const Sight sight = look_around(options, text, toolkit);
    std::vector<std::string> others = toolkit.include;
    others.push_back(probe_folder());
    const std::string path = fs::absolute(options.source_path).lexically_normal().string();
    Writing writing{sight.include, others};
    writing.unit.files.push_back({path, text});
    writing.write(0);
    if (!writing.refused) return std::move(writing.unit);
    return {text, {{path, text}}, {{0, text.size(), 1, 0, 0, 1}}};
}

UnitPlace place_of(const Unit& unit, int line) {
    UnitPlace out{0, line};
    for (const UnitPiece& p : unit.pieces)
        if (p.line <= line) out = {p.file, p.file_line + line - p.line};
    return out;
}

std::optional<int> line_of(const Unit& unit, const UnitPlace& place) {
    std::optional<int> out;
    for (const UnitPiece& p : unit.pieces)
        if (p.file == place.file && p.file_line <= place.line) out = p.line + place.line - p.file_line;
    return out;
}

std::optional<size_t> file_named(const Unit& unit, const std::string& path) {
    const std::string wanted = path_from_here(path);
    for (size_t k = 0; k < unit.files.size(); ++k)
        if (path_from_here(unit.files[k].path) == wanted) return k;
    return std::nullopt;
}

const UnitPiece* piece_of(const Unit& unit, size_t begin, size_t length) {
    for (const UnitPiece& p : unit.pieces)
        if (p.begin <= begin && begin + length <= p.end) return &p;
    return nullptr;
}

}  // namespace wl::compile
