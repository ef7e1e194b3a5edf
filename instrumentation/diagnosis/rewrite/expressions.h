// Expressions of a function as they stand in its text.
#pragma once

#include "instrumentation/diagnosis/rewrite/source.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

struct Span {
    int first = 0, last = 0;  // tokens
};

// The three parts of `c ? a : b`.
struct Choice {
    Span condition, yes, no;
};
// Whether one has its `?` there.
bool choice_at(const Source& s, int k, Choice& out);

// How often the function's text names it.
std::map<std::string, int> uses_of(const Source& s, const Body& body);

// Every word of the text that is a variable there is one here, too, of the same kind.
bool all_known(const Source& s, int from, const std::string& text, int here);

// Elements of arrays of real numbers that the function reads, as it writes them, "weight[c]", with their
// first token.
std::vector<std::pair<std::string, int>> elements_of(const Source& s, const Body& body);

// The last token of the brackets behind a name: of `a[i][j]` the second `]`; the name itself without any.
int end_of_element(const Source& s, int name);

// The bracket that is open before the token, of the same statement; else what begins that.
int bracket_before(const Source& s, int token);

// The expression behind `=`, `+=`, `return`, `(` or `,` that ends at `;`, `)` or `,`.
int end_of_expression(const Source& s, int first);

// Read where it stands: neither set nor what a member is taken of.
bool is_read(const Source& s, const Span& at);

bool says(const Source& s, int first, int last, std::string_view word);  // one of these tokens does
bool holds_real(const Source& s, int first, int last);
bool is_simple(const Source& s, int first, int last);           // without an operator outside of brackets
std::string in_brackets(const Source& s, int first, int last);  // unless it is simple

// Short sums, products and remainders of whole numbers that the function writes and that are known here:
// `warp * 16`, `step % 2`; and each with one number less: of `(step + 1) % 2`.
std::vector<std::string> whole_expressions(const Source& s, const Body& body, int here);

// The token of its name; -1: it has none, as a lambda.
int name_of(const Source& s, const Body& function);

// The function of the source that is handed what stands there, as an argument of its own; null: none is.
const Body* handed_to(const Source& s, int first, int last);

bool gives_nothing(const Source& s, const Body& function);  // void

// The conditions that `&&` and `||` join.
std::vector<Span> conditions_in(const Source& s, int first, int last);

// Of `f(a, b, c)`, whose bracket opens there.
std::vector<Span> arguments_of(const Source& s, int open);

// The terms of the sum that the `+` is the last of, first to last.
std::vector<Span> terms_of(const Source& s, int plus);

// The text with another name in place of one.
std::string renamed(const Source& s, int first, int last, const std::string& was, const std::string& now);

// What a plain statement decides by: of `c ? a : b`, of `bool inside = c`.
std::vector<Span> deciders_of(const Source& s, const Statement& statement);

}  // namespace wl::diagnosis::rewrite
