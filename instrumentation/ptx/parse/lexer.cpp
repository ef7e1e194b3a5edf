// The lexer never reads outside the text, whatever it holds.
#include "instrumentation/ptx/parse/lexer.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr std::string_view kMarkPrefix = "@wl ";
constexpr std::string_view kDwarfLine = "@@DWARF";  // debug sections before PTX ISA 2.0, a line each

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool is_word_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_word_part(char c) { return is_word_start(c) || is_digit(c); }

char at(const Lexer& lexer, size_t ahead = 0) {
    return ahead < lexer.text.size() - lexer.at ? lexer.text[lexer.at + ahead] : '\0';
}
bool done(const Lexer& lexer) { return lexer.at >= lexer.text.size(); }

// ".5", ".5e-3"; ".4byte" and ".2d" are words.
bool is_fraction(const Lexer& lexer) {
    if (at(lexer) != '.' || !is_digit(at(lexer, 1))) return false;
    size_t end = 1;
    while (is_digit(at(lexer, end))) ++end;
    return !is_word_part(at(lexer, end)) || at(lexer, end) == 'e' || at(lexer, end) == 'E';
}

void skip_line(Lexer& lexer) {
    while (!done(lexer) && lexer.text[lexer.at] != '\n') ++lexer.at;
}

void skip_block_comment(Lexer& lexer) {
    const size_t close = lexer.text.find("*/", lexer.at + 2);
    if (close == std::string_view::npos) fail(lexer.line, "this /* comment never ends");
    for (; lexer.at < close + 2; ++lexer.at) lexer.line += lexer.text[lexer.at] == '\n' ? 1 : 0;
}

// True when the token is a mark; other comments are passed over.
bool skip_line_comment(Lexer& lexer) {
    const size_t begin = lexer.at + 2;
    const uint32_t line = lexer.line;
    skip_line(lexer);
    std::string_view comment = lexer.text.substr(begin, lexer.at - begin);
    if (!comment.starts_with(kMarkPrefix)) return false;
    comment.remove_prefix(kMarkPrefix.size());
    if (comment.ends_with('\r')) comment.remove_suffix(1);
    lexer.token = {Token::Kind::mark, comment, line};
    return true;
}

void take_number(Lexer& lexer) {
    const size_t begin = lexer.at;
    const char second = at(lexer, 1);
    const bool prefixed = at(lexer) == '0' && second != '\0' &&
        std::string_view("xXfFdDbB").find(second) != std::string_view::npos;
    while (!done(lexer)) {
        const char c = at(lexer);
        const bool exponent_sign = !prefixed && (c == '+' || c == '-') && lexer.at > begin &&
            (lexer.text[lexer.at - 1] == 'e' || lexer.text[lexer.at - 1] == 'E');
        if (!is_word_part(c) && c != '.' && !exponent_sign) break;
        if (c == '%' || c == '$') break;
        ++lexer.at;
    }
    lexer.token = {Token::Kind::number, lexer.text.substr(begin, lexer.at - begin), lexer.line};
}

// A dot joins when a word part follows it, except in a word that starts with one (`.reg.b16` is two words);
// `::` joins when a word part follows both colons.
void take_word_token(Lexer& lexer) {
    const size_t begin = lexer.at;
    const bool joins = at(lexer) != '.';
    ++lexer.at;
    while (!done(lexer)) {
        const char c = at(lexer);
        if (c == '%') break;
        if (is_word_part(c))
            ++lexer.at;
        else if (joins && c == '.' && is_word_part(at(lexer, 1)) && at(lexer, 1) != '%')
            lexer.at += 2;
        else if (c == ':' && at(lexer, 1) == ':' && is_word_part(at(lexer, 2)) && at(lexer, 2) != '%')
            lexer.at += 3;
        else
            break;
    }
    lexer.token = {Token::Kind::word, lexer.text.substr(begin, lexer.at - begin), lexer.line};
}

void take_string(Lexer& lexer) {
    const size_t begin = ++lexer.at;
    const uint32_t line = lexer.line;
    while (!done(lexer) && at(lexer) != '"') {
        if (at(lexer) == '\n') fail(line, "this string has no closing quote on its line");
        lexer.at += at(lexer) == '\\' && lexer.at + 1 < lexer.text.size() && at(lexer, 1) != '\n' ? 2 : 1;
    }
    if (done(lexer)) fail(line, "this string has no closing quote");
    lexer.token = {Token::Kind::string, lexer.text.substr(begin, lexer.at - begin), line};
    ++lexer.at;
}

void take_punct(Lexer& lexer) {
    constexpr std::array<std::string_view, 8> kPairs = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    size_t length = 1;
    for (std::string_view pair : kPairs)
        if (lexer.text.substr(lexer.at, 2) == pair) length = 2;
    constexpr std::string_view kKnown = "{}[]()<>,;:@!|+-*/%=&^~?";
    if (kKnown.find(at(lexer)) == std::string_view::npos) {
        constexpr char kHex[] = "0123456789abcdef";
        const auto byte = static_cast<unsigned char>(at(lexer));
        fail(lexer.line, std::string("no token starts with the byte 0x") + kHex[byte >> 4] + kHex[byte & 15]);
    }
    lexer.token = {Token::Kind::punct, lexer.text.substr(lexer.at, length), lexer.line};
    lexer.at += length;
}

char unescape_one(std::string_view text, size_t& i, uint32_t line);

}  // namespace

Lexer start(std::string_view text, uint32_t line) {
    Lexer lexer{text, 0, line, {}};
    advance(lexer);
    return lexer;
}

void advance(Lexer& lexer) {
    check_stop();
    while (!done(lexer)) {
        const char c = at(lexer);
        if (is_blank(c)) {
            lexer.line += c == '\n' ? 1 : 0;
            ++lexer.at;
        } else if (c == '/' && at(lexer, 1) == '/') {
            if (skip_line_comment(lexer)) return;
        } else if (c == '/' && at(lexer, 1) == '*') {
            skip_block_comment(lexer);
        } else if (c == '#' || lexer.text.substr(lexer.at, kDwarfLine.size()) == kDwarfLine) {
            skip_line(lexer);
        } else {
            if (is_digit(c) || is_fraction(lexer))
                take_number(lexer);
            else if (c == '"')
                take_string(lexer);
            else if ((is_word_start(c) && (c != '%' || (is_word_part(at(lexer, 1)) && at(lexer, 1) != '%'))) || (c == '.' && is_word_part(at(lexer, 1)) && at(lexer, 1) != '%'))
                take_word_token(lexer);
            else
                take_punct(lexer);
            return;
        }
    }
    lexer.token = {Token::Kind::end, {}, lexer.line};
}

char peek(const Lexer& lexer) {
    for (size_t i = lexer.at; i < lexer.text.size(); ++i)
        if (!is_blank(lexer.text[i])) return lexer.text[i];
    return '\0';
}

std::string_view take_raw_block(Lexer& lexer) {
    const uint32_t line = lexer.token.line;
    if (!is(lexer.token, "{")) fail_at(lexer.token, "expected `{`");
    const size_t begin = lexer.at;
    size_t end = begin;
    for (advance(lexer);; advance(lexer)) {
        if (lexer.token.kind == Token::Kind::end) fail(line, "this block has no closing `}`");
        if (is(lexer.token, "{")) fail_at(lexer.token, "a block inside a section");
        if (is(lexer.token, "}")) break;
        end = lexer.at;
    }
    advance(lexer);
    return lexer.text.substr(begin, end - begin);
}

bool is(const Token& token, std::string_view punct) {
    return token.kind == Token::Kind::punct && token.text == punct;
}
bool is_word(const Token& token, std::string_view word) {
    return token.kind == Token::Kind::word && token.text == word;
}

void fail(uint32_t line, const std::string& what) {
    throw Error("PTX line " + std::to_string(line) + ": " + what + ".");
}
void fail_at(const Token& token, const std::string& what) {
    if (token.kind == Token::Kind::end) fail(token.line, what + ", at the end of the text");
    constexpr size_t kLongest = 80;
    fail(token.line, what + ", at `" + std::string(token.text.substr(0, kLongest)) + "`");
}

bool accept(Lexer& lexer, std::string_view punct) {
    if (!is(lexer.token, punct)) return false;
    advance(lexer);
    return true;
}
void expect(Lexer& lexer, std::string_view punct) {
    if (!accept(lexer, punct)) fail_at(lexer.token, "expected `" + std::string(punct) + "`");
}
std::string_view take_word(Lexer& lexer, std::string_view what) {
    if (lexer.token.kind != Token::Kind::word) fail_at(lexer.token, "expected " + std::string(what));
    const std::string_view text = lexer.token.text;
    advance(lexer);
    return text;
}

std::string unescape(const Token& string) {
    std::string plain;
    for (size_t i = 0; i < string.text.size();) {
        if (string.text[i] == '\\')
            plain += unescape_one(string.text, ++i, string.line);
        else
            plain += string.text[i++];
    }
    return plain;
}

std::string escape(std::string_view text) {
    std::string quoted = "\"";
    for (char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') quoted += '\\';
        if (byte >= 0x20 && byte != 0x7f) {
            quoted += c;
        } else {  // three octal digits end an escape whatever follows
            quoted += '\\';
            for (int shift : {6, 3, 0}) quoted += static_cast<char>('0' + (byte >> shift & 7));
        }
    }
    return quoted + '"';
}

namespace {

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// `i` stands behind the backslash and moves behind the escape.
char unescape_one(std::string_view text, size_t& i, uint32_t line) {
    if (i >= text.size()) fail(line, "a string ends in a backslash");
    const char c = text[i++];
    if (c >= '0' && c <= '7') {
        int value = c - '0';
        for (int digit = 1; digit < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7'; ++digit)
            value = value * 8 + (text[i++] - '0');
        return static_cast<char>(value);
    }
    if (c == 'x') {
        int value = 0, digits = 0;
        for (; digits < 2 && i < text.size() && hex_digit(text[i]) >= 0; ++digits)
            value = value * 16 + hex_digit(text[i++]);
        if (digits == 0) fail(line, "a \\x in a string has no hexadecimal digit");
        return static_cast<char>(value);
    }
    constexpr std::string_view kLetters = "abfnrtv";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
    const size_t letter = kLetters.find(c);
    return letter == std::string_view::npos ? c : kValues[letter];
}

}  // namespace
}  // namespace wl::ptx
