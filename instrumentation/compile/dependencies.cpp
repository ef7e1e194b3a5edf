#include "instrumentation/compile/dependencies.h"

#include "instrumentation/base/os/path_list.h"
#include "instrumentation/compile/headers.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string_view>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

// The folders that a word of nvcc names, "-I/a,/b", "--include-path=/a", "/a".
void add_folders(std::string word, std::vector<std::string>& out) {
    for (const char* head : {"--include-path=", "--system-include=", "-isystem=", "-I"})
        if (word.starts_with(head)) word.erase(0, std::string_view(head).size());
    std::istringstream list(word);
    for (std::string folder; std::getline(list, folder, ',');)
        if (std::error_code ignored; fs::is_directory(folder, ignored))
            out.push_back(fs::absolute(folder, ignored).lexically_normal().string());
}

}  // namespace

std::vector<std::string> files_of_rule(const std::string& rule) {
    std::vector<std::string> files;
    std::string file;
    const auto end_file = [&] {
        if (!file.empty()) files.push_back(file);
        file.clear();
    };
    size_t k = rule.find(": ");
    for (k = k == rule.npos ? rule.size() : k + 1; k < rule.size(); ++k) {
        const char c = rule[k], next = k + 1 < rule.size() ? rule[k + 1] : '\0';
        const bool escapes = c == '\\' && (next == ' ' || next == '\t' || next == '#' || next == '\\');
        if ((c == '\\' && next == '\n') || c == ' ' || c == '\t')
            end_file();
        else if (c == '\n')
            break;  // of the rule; others have no files of their own
        else if (escapes || (c == '$' && next == '$'))
            file += next, ++k;
        else
            file += c;
        if (c == '\\' && next == '\n') ++k;
    }
    end_file();
    return files;
}

std::vector<std::string> places_before(
    const std::vector<std::string>& files, const std::vector<std::string>& folders
) {
    constexpr std::string_view kOwn = "/include/";
    std::set<std::string> names;
    for (const std::string& file : files) {
        for (const std::string& folder : folders)
            if (file.starts_with(folder + "/")) names.insert(file.substr(folder.size() + 1));
        if (const size_t own = file.rfind(kOwn); own != file.npos)
            names.insert(file.substr(own + kOwn.size()));
    }
    std::vector<std::string> out;
    for (const std::string& name : names)
        for (const std::string& folder : folders)
            out.push_back((std::filesystem::path(folder) / name).string());
    return out;
}

AskedFor asked_for(const std::string& text) {
    constexpr std::string_view kAsks = "__has_include", kNext = "_next";
    AskedFor out;
    for (size_t at = text.find(kAsks); at != text.npos; at = text.find(kAsks, at)) {
        at += kAsks.size();
        std::string_view rest = std::string_view(text).substr(at);
        if (rest.starts_with(kNext)) rest.remove_prefix(kNext.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        if (!rest.starts_with('(')) continue;  // whether the compiler has it
        std::string name = name_at(rest.substr(1));
        if (name.empty())
            out.known = false;
        else
            out.names.push_back(std::move(name));
    }
    return out;
}

std::vector<std::string> folders_of_environment() {
    std::vector<std::string> out;
    for (const char* variable : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
        for (const std::string& folder : folders_of(variable)) add_folders(folder, out);
    for (const char* variable : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"}) {
        const char* value = std::getenv(variable);
        std::istringstream words(value != nullptr ? value : "");
        for (std::string word; words >> word;) add_folders(word, out);
    }
    return out;
}

}  // namespace wl::compile
