// A superset of the preprocessor's includes, by text.
#include "instrumentation/compile/headers.h"

#include "instrumentation/base/text.h"
#include "instrumentation/compile/stand_ins.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view s) {
    const size_t first = s.find_first_not_of(" \t");
    return first == s.npos ? std::string_view() : s.substr(first);
}

struct Walk {
    const std::vector<std::string>& include;
    std::set<std::string> seen, missed;
    UserHeaders found;

    void visit(const fs::path& folder, std::string_view text) {
        for (size_t begin = 0; begin < text.size();) {
            const size_t end = std::min(text.find('\n', begin), text.size());
            visit_line(folder, text.substr(begin, end - begin));
            begin = end + 1;
        }
    }

    void visit_line(const fs::path& folder, std::string_view line) {
        constexpr std::string_view kHas = "__has_include(";
        for (size_t at = line.find(kHas); at != line.npos; at = line.find(kHas, at + 1))
            follow(folder, name_at(line.substr(at + kHas.size())));
        line = trimmed(line);
        if (!line.starts_with('#')) return;
        line = trimmed(line.substr(1));
        if (!line.starts_with("include")) return;
        follow(folder, name_at(line.substr(7)));
    }

    void follow(const fs::path& folder, const std::string& name) {
        if (name.empty()) return;
        bool there = visit_file(folder / name);
        for (const std::string& other : include) there |= visit_file(fs::path(other) / name);
        if (!there && missed.insert(name).second) found.missing.push_back(name);
    }

    bool visit_file(const fs::path& path) {
        std::error_code ignored;
        const fs::path normal = path.lexically_normal();
        if (!fs::is_regular_file(normal, ignored)) return false;
        if (!seen.insert(normal.string()).second) return true;
        const std::string text = read_text_file(normal.string());
        found.files.emplace_back(normal.string(), sha256_hex(text));
        visit(normal.parent_path(), text);
        return true;
    }
};

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

// The folder of `name` that is nearest to `folder`, going up; empty: none.
std::string folder_near(fs::path folder, const std::string& name) {
    constexpr int kMostLevels = 6;
    for (int level = 0; level < kMostLevels; ++level) {
        for (const char* below : {"", "include", "inc", "src", "Common", "common"}) {
            const fs::path here = (folder / below).lexically_normal();
            if (is_there(here / name)) return here.string();
        }
        std::error_code ignored;
        if (fs::exists(folder / ".git", ignored) || folder == folder.parent_path()) break;
        folder = folder.parent_path();
    }
    return {};
}

}  // namespace

std::string name_at(std::string_view s) {
    s = trimmed(s);
    if (s.empty() || (s[0] != '<' && s[0] != '"')) return {};
    const size_t end = s.find(s[0] == '<' ? '>' : '"', 1);
    return end == s.npos ? std::string() : std::string(s.substr(1, end - 1));
}

UserHeaders user_headers(
    const std::string& path, const std::string& text, const std::vector<std::string>& include
) {
    Walk walk{include, {}, {}, {}};
    walk.visit(fs::path(path).parent_path(), text);
    return walk.found;
}

std::vector<std::string> folders_near(
    const std::string& path, const std::vector<std::string>& missing, const std::vector<std::string>& known
) {
    std::vector<std::string> folders;
    for (const std::string& name : missing) {
        const auto has = [&](const std::string& folder) { return is_there(fs::path(folder) / name); };
        if (fs::path(name).extension().empty() || is_stand_in(name)) continue;
        if (has("/usr/include") || std::any_of(known.begin(), known.end(), has)) continue;
        if (std::any_of(folders.begin(), folders.end(), has)) continue;
        const std::string folder = folder_near(fs::path(path).parent_path(), name);
        if (!folder.empty()) folders.push_back(folder);
    }
    return folders;
}

Sight look_around(const CompileOptions& options, const std::string& source, const Toolkit& toolkit) {
    Sight sight;
    const std::string path = fs::absolute(options.source_path).lexically_normal().string();
    for (const std::string& folder : options.include)
        sight.include.push_back(fs::absolute(folder).lexically_normal().string());
    if (options.marks) sight.include.push_back(probe_folder());
    constexpr int kMostRounds = 4;  // a header that was found may ask for others
    for (int round = 0; round < kMostRounds; ++round) {
        sight.headers = user_headers(path, source, sight.include);
        const auto more = folders_near(path, sight.headers.missing, toolkit.include);
        if (more.empty()) break;
        sight.include.insert(sight.include.end(), more.begin(), more.end());
        sight.found.insert(sight.found.end(), more.begin(), more.end());
    }
    return sight;
}

}  // namespace wl::compile
