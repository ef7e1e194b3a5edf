// Paths replaced in messages and in .file directives.
#include "instrumentation/compile/names.h"

#include <filesystem>
#include <ranges>
#include <string_view>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

template <class Change>
std::string changed_lines(const std::string& text, const Change& change) {
    std::string out;
    out.reserve(text.size());
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.find('\n', begin), text.size());
        std::string line = text.substr(begin, end - begin);
        change(line);
        out += line;
        if (end < text.size()) out += '\n';
        begin = end + 1;
    }
    return out;
}

// As LLVM, which NVRTC and nvcc are made of, writes a string of PTX (printQuotedString in MCAsmStreamer.cpp).
std::string escaped(const std::string& text) {
    constexpr std::string_view kNamed = "\b\f\n\r\t", kNames = "bfnrt";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            (out += '\\') += c;
        } else if (byte >= ' ' && byte < 0x7f) {
            out += c;
        } else if (const size_t at = kNamed.find(c); at != kNamed.npos) {
            (out += '\\') += kNames[at];
        } else {
            out += '\\';
            for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + (byte >> shift & 7));
        }
    }
    return out;
}

// "gemm.cu(12): error: ..." becomes "gemm.cu:12: error: ...", which terminals and editors turn into links.
void link_place(std::string& line) {
    const size_t close = line.find("): "), open = line.rfind('(', close);
    if (close == line.npos || open == line.npos || open == 0 || open + 1 == close) return;
    if (line.find_first_not_of("0123456789", open + 1) != close) return;
    line.replace(close, 1, "");
    line[open] = ':';
}

}  // namespace

Names names_of(const CompileOptions& options) {
    Names names;
    const fs::path source = fs::absolute(options.source_path).lexically_normal();
    const fs::path display = options.display_path.empty() ? options.source_path : options.display_path;
    names.source = source.string();
    names.display = display.string();
    names.source_folder = (source.parent_path() / "").string();
    if (names.source_folder == "/") names.source_folder = names.source;  // each path begins with it
    names.display_folder = display.has_parent_path() ? (display.parent_path() / "").string() : "";
    return names;
}

std::string readable_log(std::string log, const Names& names) {
    while (!log.empty() && log.back() == '\n') log.pop_back();
    replace_all(log, names.source, names.display);
    replace_all(log, names.source_folder, names.display_folder);
    return changed_lines(log, link_place);
}

// Only in .file directives: elsewhere a path is data of the kernel (__FILE__).
std::string with_display_files(
    const std::string& ptx, const Names& names, const std::vector<std::pair<std::string, std::string>>& links
) {
    const std::string source = escaped(names.source), display = escaped(names.display),
                      source_folder = escaped(names.source_folder),
                      display_folder = escaped(names.display_folder);
    return changed_lines(ptx, [&](std::string& line) {
        const size_t first = line.find_first_not_of(" \t");
        if (first == line.npos || line.compare(first, 5, ".file") != 0) return;
        for (const auto& [link, name] : std::views::reverse(links))
            replace_all(line, '"' + link, '"' + escaped(name));
        replace_all(line, '"' + source + '"', '"' + display + '"');
        replace_all(line, '"' + source_folder, '"' + display_folder);
    });
}

}  // namespace wl::compile
