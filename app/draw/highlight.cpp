// One pass over a line.
#include "app/draw/highlight.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace wl::app {

namespace {

constexpr std::array<std::string_view, 32> kKeywords = {
    "alignas",
    "asm",
    "auto",
    "break",
    "case",
    "const",
    "constexpr",
    "continue",
    "default",
    "do",
    "else",
    "enum",
    "extern",
    "for",
    "if",
    "inline",
    "namespace",
    "return",
    "sizeof",
    "static",
    "static_cast",
    "struct",
    "switch",
    "template",
    "typename",
    "using",
    "volatile",
    "while",
    "reinterpret_cast",
    "true",
    "false",
    "nullptr"};
constexpr std::array<std::string_view, 26> kTypes = {
    "void",     "bool",    "char",     "short",   "int",           "long",   "float",  "double", "unsigned",
    "signed",   "half",    "__half",   "__half2", "half2",         "float4", "int4",   "uint4",  "size_t",
    "uint32_t", "int64_t", "uint64_t", "uint8_t", "__nv_bfloat16", "dim3",   "float2", "uint2"};

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

TokenKind kind_of_word(std::string_view word) {
    if (word.starts_with("WL_")) return TokenKind::mark;
    if (std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end()) return TokenKind::keyword;
    if (std::find(kTypes.begin(), kTypes.end(), word) != kTypes.end()) return TokenKind::type;
    const bool builtin = word.starts_with("__") || word == "threadIdx" || word == "blockIdx" ||
        word == "blockDim" || word == "gridDim";
    return builtin ? TokenKind::keyword : TokenKind::plain;
}

size_t end_of_string(std::string_view line, size_t begin) {
    size_t end = begin + 1;
    while (end < line.size() && line[end] != line[begin]) end += line[end] == '\\' ? 2 : 1;
    return std::min(line.size(), end + 1);
}

// A block comment up to its end or the line's.
size_t end_of_comment(std::string_view line, size_t begin, bool& in_comment) {
    const size_t close = line.find("*/", begin);
    in_comment = close == std::string_view::npos;
    return in_comment ? line.size() : close + 2;
}

Token next_token(std::string_view line, size_t at, bool& in_comment) {
    const auto token = [at](size_t end, TokenKind kind) {
        return Token{static_cast<int>(at), static_cast<int>(end), kind};
    };
    const char c = line[at];
    if (in_comment) return token(end_of_comment(line, at, in_comment), TokenKind::comment);
    if (line.substr(at, 2) == "//") return token(line.size(), TokenKind::comment);
    if (line.substr(at, 2) == "/*")
        return token(end_of_comment(line, at + 2, in_comment), TokenKind::comment);
    if (c == '"' || c == '\'') return token(end_of_string(line, at), TokenKind::string);
    size_t end = at + 1;
    if (!is_word(c)) return token(end, TokenKind::plain);
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    while (end < line.size() && (is_word(line[end]) || (digit && line[end] == '.'))) ++end;
    return token(end, digit ? TokenKind::number : kind_of_word(line.substr(at, end - at)));
}

}  // namespace

std::vector<Token> highlight(std::string_view line, bool& in_comment) {
    std::vector<Token> tokens;
    const size_t first = line.find_first_not_of(" \t");
    if (!in_comment && first != std::string_view::npos && line[first] == '#') {
        return {
            {static_cast<int>(first), static_cast<int>(line.size()), TokenKind::directive}
        };
    }
    size_t at = 0;
    while (at < line.size()) {
        const Token token = next_token(line, at, in_comment);
        const bool joins =
            !tokens.empty() && tokens.back().kind == token.kind && token.kind == TokenKind::plain;
        if (joins) {
            tokens.back().end = token.end;
        } else {
            tokens.push_back(token);
        }
        at = static_cast<size_t>(token.end);
    }
    return tokens;
}

}  // namespace wl::app
