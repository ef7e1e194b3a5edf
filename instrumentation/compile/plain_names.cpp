#include "instrumentation/compile/plain_names.h"

#include "instrumentation/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ranges>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

// The folder for temporary files may have any name, "/tmp" has a plain one.
std::string plain_parent() {
    std::error_code ignored;
    std::string usual = fs::canonical(fs::temp_directory_path(ignored), ignored).string();
    return !usual.empty() && is_plain(usual) ? usual : "/tmp";
}

// "3": a name that the folder does not have yet.
std::string new_name(const PlainNames& names) {
    return names.folder + "/" + std::to_string(names.links.size());
}

// nvcc looks at extensions.
std::string plain_extension(const std::string& path) {
    const std::string extension = fs::path(path).extension().string();
    return is_plain(extension) ? extension : ".cu";
}

}  // namespace

bool is_plain(const std::string& word) {
    return std::all_of(word.begin(), word.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            std::string_view("_./+-@:=%").find(c) != std::string_view::npos;
    });
}

PlainNames::PlainNames() : folder(plain_parent() + "/warplens-XXXXXX") {
    if (mkdtemp(folder.data()) == nullptr) folder.clear();
}

PlainNames::~PlainNames() {
    std::error_code ignored;
    if (!folder.empty()) fs::remove_all(folder, ignored);
}

std::string plain_folder(PlainNames& names, const std::string& path) {
    if (is_plain(path)) return path;
    for (const auto& [link, real] : names.links)
        if (real == path) return link;
    std::string link = new_name(names);
    std::error_code ignored;
    fs::create_symlink(path, link, ignored);
    names.links.emplace_back(link, path);
    return link;
}

std::string plain_file(PlainNames& names, const std::string& path) {
    if (is_plain(path)) return path;
    const fs::path file(path);
    if (is_plain(file.filename().string()))
        return plain_folder(names, file.parent_path().string()) + "/" + file.filename().string();
    std::string link = new_name(names) + plain_extension(path);
    std::error_code ignored;
    fs::create_symlink(file, link, ignored);
    names.links.emplace_back(link, path);
    return link;
}

std::string plain_text(PlainNames& names, const std::string& path, const std::string& text) {
    std::string copy = new_name(names) + plain_extension(path);
    std::ofstream(copy, std::ios::binary) << text;
    names.links.emplace_back(copy, path);
    return copy;
}

std::string plain_source(PlainNames& names, const std::string& path) {
    std::error_code ignored;
    const bool plain = is_plain(path) && is_plain(fs::weakly_canonical(path, ignored).string());
    return plain ? path : plain_text(names, path, read_text_file(path));
}

std::string without_links(const PlainNames& names, std::string text) {
    for (const auto& [link, name] : std::views::reverse(names.links))
        for (size_t at = text.find(link); at != std::string::npos; at = text.find(link, at + name.size()))
            text.replace(at, link.size(), name);
    return text;
}

}  // namespace wl::compile
