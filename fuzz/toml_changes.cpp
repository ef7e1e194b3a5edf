#include "fuzz/toml_changes.h"

#include "fuzz/values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <functional>
#include <sstream>
#include <string_view>
#include <vector>

namespace wl::fuzz {
namespace {

// Of docs/manifest.md.
constexpr std::array<std::string_view, 68> kWords = {
    "about",   "args",     "as",        "assumed",  "at",         "attention", "block",       "border",
    "builtin", "channels", "clamp",     "col",      "col_axis",   "compare",   "cooperative", "cube",
    "define",  "dtype",    "element",   "entry",    "fault",      "fields",    "fill",        "filter",
    "grid",    "include",  "iteration", "kernel",   "lane",       "launch",    "layered",     "layout",
    "limits",  "linear",   "mirror",    "name",     "normalized", "numbers",   "of",          "output",
    "params",  "partial",  "point",     "pointers", "presets",    "reference", "registers",   "repeat",
    "row",     "row_axis", "rows_of",   "rtol",     "set",        "shape",     "shared",      "source",
    "stack",   "surface",  "symbol",    "terms",    "texture",    "tile",      "tolerance",   "turn",
    "value",   "warp",     "width",     "wrap"};
constexpr std::array<std::string_view, 40> kValues = {
    "f32",
    "f16",
    "bf16",
    "e4m3",
    "e5m2",
    "f64",
    "s32",
    "u64",
    "u8",
    "float4",
    "int2",
    "double2",
    "uchar4",
    "normal",
    "normal(1, -1)",
    "uniform",
    "uniform(1e300,-1e300)",
    "zeros",
    "ones",
    "coordinates",
    "one-hot",
    "identity",
    "x",
    "y",
    "ROWS",
    "N",
    "steps.ptx",
    "plain.ptx",
    "steps",
    "plain",
    "scale",
    "weigh",
    "plain.toml",
    "steps.toml",
    "m.toml",
    "m.ptx",
    "nothing.npy",
    ".",
    "tile",
    "f32 8x8:ld=9"};

std::string expression(Random& random, int depth) {
    constexpr std::array<const char*, 14> kOperators = {
        " + ", " - ", " * ", " / ", " % ", " < ", " <= ", " == ", " != ", " && ", " || ", ",", " ? ", " "};
    constexpr std::array<const char*, 8> kFunctions = {
        "min", "max", "ceil_div", "abs", "floor", "ceil", "sqrt", "log2"};
    constexpr std::array<const char*, 10> kNames = {
        "ROWS", "N", "TURNS", "t", "block.x", "warp", "iteration", "lane", "element", "rows"};
    if (depth <= 0 || random() % 4 == 0)
        return random() % 2 == 0 ? one_of(random, kNames) : std::to_string(edge_integer(random));
    const auto inner = [&] { return expression(random, depth - 1); };
    switch (random() % 5) {
        case 0: return "(" + inner() + ")";
        case 1: return (random() % 2 == 0 ? "-" : "!") + inner();
        case 2: return std::string(one_of(random, kFunctions)) + "(" + inner() + ", " + inner() + ")";
        case 3: return inner() + " ? " + inner() + " : " + inner();
        default: return inner() + one_of(random, kOperators) + inner();
    }
}

// Strings with their quotes, numbers and words, single other characters; blanks are tokens, too.
std::vector<std::string> tokens_of(const std::string& text) {
    std::vector<std::string> tokens;
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        if (text[at] == '"') {
            end = std::min(text.find('"', at + 1), text.size() - 1) + 1;
        } else if (is_word(text[at])) {
            while (end < text.size() && is_word(text[end])) ++end;
        }
        tokens.push_back(text.substr(at, end - at));
        at = end;
    }
    return tokens;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string text;
    for (const std::string& part : parts) text += part + between;
    return text;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string nested(Random& random) {
    constexpr std::array<size_t, 5> kDepths = {2, 10, 100, 1000, 30'000};
    const size_t depth = one_of(random, kDepths);
    switch (random() % 4) {
        case 0: return std::string(depth, '[') + std::string(depth, ']');
        case 1: {
            std::string key = "a";
            for (size_t k = 1; k < depth; ++k) key += ".a";
            return "{" + key + " = 1}";
        }
        case 2: return "\"" + std::string(depth, '(') + "1" + std::string(depth, ')') + "\"";
        default: return "\"" + std::string(depth, '-') + "1\"";
    }
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' || c == '\0' ? ' ' : c;
    }
    return out + "\"";
}

std::string value(Random& random) {
    switch (random() % 10) {
        case 0: return nested(random);
        case 1: return quoted(hostile_text(random));
        case 2: return quoted(std::string(one_of(random, kValues)));
        case 3:
            return "[" + std::to_string(edge_integer(random)) + ", " + quoted(expression(random, 2)) + "]";
        case 4: return random() % 2 == 0 ? "true" : "{}";
        case 5: return random() % 2 == 0 ? "1e300" : "-inf";
        case 6:
        case 7: return std::to_string(edge_integer(random));
        default: return quoted(expression(random, static_cast<int>(random() % 5)));
    }
}

std::string change_token(Random& random, const std::string& text) {
    std::vector<std::string> tokens = tokens_of(text);
    // Blanks are most of the tokens and none of the meaning.
    size_t at = below(random, tokens.size());
    for (int tries = 0; tries < 20 && (tokens[at] == " " || tokens[at] == "\n"); ++tries)
        at = below(random, tokens.size());
    const bool is_value =
        tokens[at].front() == '"' || std::isdigit(static_cast<unsigned char>(tokens[at].front())) != 0;
    switch (random() % 6) {
        case 0: tokens[at] = std::string(one_of(random, tokens)); break;
        case 1: tokens[at] = changed_text(random, tokens[at]); break;
        case 2: tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at)); break;
        default: tokens[at] = is_value ? value(random) : std::string(one_of(random, kWords));
    }
    return joined(tokens, "");
}

std::string change_line(Random& random, const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    const size_t at = below(random, lines.size()), to = below(random, lines.size());
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 6) {
        case 0: std::swap(lines[at], lines[to]); break;
        case 1: lines.erase(place); break;
        case 2: lines.insert(place, std::string(lines[to])); break;
        case 3:
            lines.insert(
                place,
                "[" + std::string(one_of(random, kWords)) + "." + std::string(one_of(random, kWords)) + "]"
            );
            break;
        default: lines.insert(place, std::string(one_of(random, kWords)) + " = " + value(random));
    }
    return joined(lines, "\n");
}

}  // namespace

std::string changed_toml(Random& random, const std::string& text) {
    std::string out = text;
    for (size_t changes = 1 + random() % 3; changes > 0 && !out.empty(); --changes)
        out = random() % 12 == 0 ? changed_bytes(random, out)
            : random() % 3 == 0  ? change_line(random, out)
                                 : change_token(random, out);
    return out;
}

std::string respelled_toml(Random& random, const std::string& text) {
    std::vector<std::string> tokens = tokens_of(text);
    for (size_t at = 1; at < tokens.size(); ++at) {
        std::string& token = tokens[at];
        if (random() % 4 != 0) continue;
        const bool whole =
            std::all_of(token.begin(), token.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (token == " ")
            token = " \t";
        else if (token == "\n")
            token = "   # a comment\n\n";
        else if (token == "," || token == "=")
            token = fmt::format(" {}  ", token);
        else if (token.size() > 2 && token.front() == '"')
            std::replace(token.begin(), token.end(), '"', '\'');
        else if (whole && token.front() != '0' && tokens[at - 1] == " ")
            token.insert(0, "+");
    }
    return "# respelled\n" + joined(tokens, "");
}

}  // namespace wl::fuzz
