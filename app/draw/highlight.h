// Light syntax colouring of CUDA C++: enough to find one's way, nothing that needs a parser.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace wl::app {

enum class TokenKind : uint8_t { plain, keyword, type, number, string, comment, directive, mark };
struct Token {
    int begin = 0, end = 0;  // bytes of the line
    TokenKind kind = TokenKind::plain;
};
// `in_comment`: a block comment is open where the line begins, and on return where it ends.
std::vector<Token> highlight(std::string_view line, bool& in_comment);

}  // namespace wl::app
