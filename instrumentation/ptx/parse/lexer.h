// PTX text as tokens: words with their dots, numbers, strings, punctuation and probe marks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wl::ptx {

struct Token {
    enum class Kind : uint8_t {
        end,
        word,    // identifier, register, directive or mnemonic with its dots: "ld.global.v4.f32"
        number,  // any form of a constant, unchecked
        string,  // between the quotes, escapes as written
        punct,   // one character, or one of << >> <= >= == != && ||
        mark,    // the text behind "//@wl "
    };
    Kind kind = Kind::end;
    std::string_view text;
    uint32_t line = 1;
};

// A cursor over the text; `token` is the one not yet taken.
struct Lexer {
    std::string_view text;
    size_t at = 0;
    uint32_t line = 1;
    Token token;
};

Lexer start(std::string_view text, uint32_t line = 1);  // with the first token ready
void advance(Lexer& lexer);
// The next character that is no blank, without taking anything; '\0' at the end.
char peek(const Lexer& lexer);
// With `{` as the current token: the text up to the matching `}`, which is taken too.
std::string_view take_raw_block(Lexer& lexer);

bool is(const Token& token, std::string_view punct);
bool is_word(const Token& token, std::string_view word);

// Throws Error: "PTX line 12: <what>, at `<token>`."
[[noreturn]] void fail(uint32_t line, const std::string& what);
[[noreturn]] void fail_at(const Token& token, const std::string& what);

bool accept(Lexer& lexer, std::string_view punct);
void expect(Lexer& lexer, std::string_view punct);
std::string_view take_word(Lexer& lexer, std::string_view what);  // `what` names it in the error

std::string unescape(const Token& string);  // C escapes
std::string escape(std::string_view text);  // with quotes around; inverse of unescape

}  // namespace wl::ptx
