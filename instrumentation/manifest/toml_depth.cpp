// Strings and comments are skipped as TOML 1.0 ends them; brackets are counted, and dots in a row of words.
#include "instrumentation/manifest/toml_depth.h"

#include <cctype>
#include <fmt/format.h>

namespace wl::manifest {
namespace {

// Together they keep the parser's recursion, and that of who frees the tables, at 512 levels.
constexpr int kMostBrackets = 32, kMostParts = 16;

struct Scan {
    std::string_view text;
    size_t at = 0;
    int line = 1;
};

bool begins(const Scan& s, std::string_view word) { return s.text.substr(s.at).starts_with(word); }

void step(Scan& s, size_t bytes) {
    for (; bytes > 0 && s.at < s.text.size(); --bytes) s.line += s.text[s.at++] == '\n' ? 1 : 0;
}

// From its first quote to behind its last. A plain string ends with its line, whatever it lacks.
void skip_string(Scan& s) {
    const char quote = s.text[s.at];
    const std::string three(3, quote);
    const bool is_long = begins(s, three);
    step(s, is_long ? 3 : 1);
    while (s.at < s.text.size()) {
        const bool over = is_long ? begins(s, three) : s.text[s.at] == quote || s.text[s.at] == '\n';
        if (over && is_long && s.text.substr(s.at + 1).starts_with(three)) {  // its last character is a quote
            step(s, 1);
            continue;
        }
        if (over) return step(s, is_long ? 3 : 1);
        step(s, quote == '"' && s.text[s.at] == '\\' ? 2 : 1);
    }
}

bool is_of_key(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == ' ' || c == '\t';
}

}  // namespace

std::optional<TooDeep> too_deep(std::string_view toml) {
    Scan s{toml};
    int brackets = 0, parts = 1;
    while (s.at < s.text.size()) {
        const char c = s.text[s.at];
        if (c == '"' || c == '\'') {
            skip_string(s);
            continue;
        }
        if (c == '#') {
            while (s.at < s.text.size() && s.text[s.at] != '\n') step(s, 1);
            continue;
        }
        brackets += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        parts = c == '.' ? parts + 1 : is_of_key(c) ? parts : 1;
        if (brackets > kMostBrackets)
            return TooDeep{s.line, fmt::format("brackets nest more than {} deep", kMostBrackets)};
        if (parts > kMostParts)
            return TooDeep{s.line, fmt::format("a key has more than {} parts", kMostParts)};
        step(s, 1);
    }
    return std::nullopt;
}

}  // namespace wl::manifest
