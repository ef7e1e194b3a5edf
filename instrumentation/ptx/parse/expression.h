// Constants and constant expressions (PTX ISA 9.0, 4.5).
#pragma once

#include "instrumentation/ptx/parse/lexer.h"

namespace wl::ptx {

struct Constant {
    uint64_t bits = 0;
    bool floating = false;  // bits are those of an f64 (`wide`) or an f32
    bool wide = false;
    bool is_unsigned = false;  // of an integer
};

// Throw Error on a malformed or too large number, a division by zero, or nesting deeper than 64.
Constant parse_number(const Token& number);
Constant parse_expression(Lexer& lexer);
int64_t parse_integer(Lexer& lexer, std::string_view what);  // an expression that must be an integer

}  // namespace wl::ptx
