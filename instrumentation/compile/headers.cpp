// A superset of the preprocessor's includes, by text.
#include "instrumentation/compile/headers.h"

#include "instrumentation/base/text.h"

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

// The name between <> or "" at the start of `s`; empty when neither stands there.
std::string name_at(std::string_view s) {
    s = trimmed(s);
    if (s.empty() || (s[0] != '<' && s[0] != '"')) return {};
    const size_t end = s.find(s[0] == '<' ? '>' : '"', 1);
    return end == s.npos ? std::string() : std::string(s.substr(1, end - 1));
}

struct Walk {
    const std::vector<std::string>& include;
    std::set<std::string> seen;
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
        const std::string name = name_at(line.substr(7));
        if (name.empty()) found.complete = false;
        follow(folder, name);
    }

    void follow(const fs::path& folder, const std::string& name) {
        if (name.empty()) return;
        visit_file(folder / name);
        for (const std::string& other : include) visit_file(fs::path(other) / name);
    }

    void visit_file(const fs::path& path) {
        std::error_code ignored;
        const fs::path normal = path.lexically_normal();
        if (!fs::is_regular_file(normal, ignored) || !seen.insert(normal.string()).second) return;
        const std::string text = read_text_file(normal.string());
        found.files.emplace_back(normal.string(), sha256_hex(text));
        visit(normal.parent_path(), text);
    }
};

}  // namespace

UserHeaders user_headers(
    const std::string& path, const std::string& text, const std::vector<std::string>& include
) {
    Walk walk{include, {}, {}};
    walk.visit(fs::path(path).parent_path(), text);
    return walk.found;
}

}  // namespace wl::compile
