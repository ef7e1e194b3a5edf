// What a text may lead to is found by the names in it: rather a file too many than one too few.
#include "instrumentation/manifest/files.h"

#include "instrumentation/base/text.h"
#include "instrumentation/manifest/manifest.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <map>
#include <utility>
#include <vector>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;

struct Files {
    std::set<fs::path> all;
    std::vector<fs::path> include;
};

bool add(Files& files, const fs::path& path) {
    std::error_code none;
    if (!fs::is_regular_file(path, none)) return false;
    return files.all.insert(fs::canonical(path, none)).second;
}

// Every text between quotes or angle brackets of a line: what is included is among them, in whatever words
// (comments, digraphs, macros, a byte order mark) it is. std::regex would take a stack frame a character.
std::set<std::string> named_in(const std::string& spliced) {
    std::string text;
    for (const char c : spliced) {
        const bool joins = c == '\n' && (text.ends_with('\\') || text.ends_with("\\\r"));
        if (joins)
            text.resize(text.rfind('\\'));
        else
            text += c;
    }
    constexpr size_t kNone = std::string::npos;
    size_t quote = kNone, angle = kNone;
    std::set<std::string> names;
    const auto take = [&](size_t from, size_t to) {
        if (from != kNone && to - from <= PATH_MAX) names.insert(text.substr(from + 1, to - from - 1));
    };
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\n') quote = angle = kNone;
        if (text[at] == '"') take(std::exchange(quote, at), at);
        if (text[at] == '>') take(angle, at);
        if (text[at] == '<') angle = at;
    }
    return names;
}

void add_source(Files& files, const fs::path& path) {
    if (!add(files, path)) return;
    for (const std::string& name : named_in(read_text_file(path.string()))) {
        add_source(files, path.parent_path() / name);
        for (const fs::path& folder : files.include) add_source(files, folder / name);
    }
}

// Identifiers of Python, which take letters beyond ASCII.
std::set<std::string> words_of(const std::string& text) {
    const auto is_word = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x80 || std::isalnum(byte) != 0 || c == '_';
    };
    std::set<std::string> words;
    for (auto at = text.begin(); (at = std::find_if(at, text.end(), is_word)) != text.end();) {
        const auto end = std::find_if_not(at, text.end(), is_word);
        if (end - at <= NAME_MAX) words.emplace(at, end);
        at = end;
    }
    return words;
}

bool is_module(const fs::path& path) {
    return path.extension() == ".py" || path.extension() == ".pyc" || path.extension() == ".so";
}

// With the modules and packages beside it whose name is a word of it: a superset of what it imports.
void add_python(Files& files, const fs::path& path) {
    if (!add(files, path) || path.extension() != ".py") return;
    const std::set<std::string> words = words_of(read_text_file(path.string()));
    std::error_code none;
    for (const auto& beside : fs::directory_iterator(path.parent_path(), none)) {
        const std::string name = beside.path().filename().string();
        if (!words.contains(name.substr(0, name.find('.')))) continue;
        if (is_module(beside.path())) add_python(files, beside.path());
        if (!beside.is_directory(none)) continue;
        for (const auto& inside : fs::recursive_directory_iterator(beside.path(), none))
            if (is_module(inside.path())) add_python(files, inside.path());
    }
}

void add_fills(Files& files, const std::vector<Argument>& args, const fs::path& folder) {
    for (const Argument& a : args) {
        if (a.fill.ends_with(".npy") || a.fill.ends_with(".npz")) add(files, folder / a.fill);
        add_fills(files, a.fields, folder);
    }
}

// Of a reference that is a kernel, all that it needs itself.
void add_kernel(Files& files, const std::string& path) {
    if (!add(files, path)) return;
    const Kernel kernel = load(path);
    const fs::path folder = fs::path(path).parent_path();
    for (const std::string& include : kernel.include) files.include.emplace_back(include);
    add_source(files, kernel.source);
    add_fills(files, kernel.args, folder);
    add_fills(files, kernel.symbols, folder);
    using Kind = ReferenceRule::Kind;
    if (kernel.reference.kind == Kind::python) add_python(files, kernel.reference.target);
    if (kernel.reference.kind == Kind::npz) add(files, kernel.reference.target);
    if (kernel.reference.kind == Kind::kernel) add_kernel(files, kernel.reference.target);
}

}  // namespace

std::set<fs::path> files_of(const std::string& toml) {
    Files files;
    add_kernel(files, toml);
    return files.all;
}

std::string content_of(const std::string& path) {
    if (fs::path(path).extension() != ".toml") return sha256_hex(read_text_file(path));
    const fs::path folder = fs::canonical(path).parent_path();
    std::map<std::string, std::string> contents;
    for (const fs::path& file : files_of(path))
        contents[file.lexically_relative(folder).string()] = sha256_hex(read_text_file(file.string()));
    std::string all;
    for (const auto& [name, content] : contents)
        all.append(name).append(1, '\0').append(content).append(1, '\n');
    return sha256_hex(all);
}

}  // namespace wl::manifest
