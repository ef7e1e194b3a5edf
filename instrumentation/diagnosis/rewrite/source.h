// A source as text that changes are made in: its words, brackets, functions, statements and variables. No
// compiler's view of it: what is made of a misreading does not compile, and is not tried.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

struct Token {
    enum class Kind : uint8_t { word, number, sign };
    Kind kind = Kind::sign;
    size_t begin = 0, end = 0;  // offsets in the text
    int line = 0;               // from 1
    int match = -1;             // of a bracket the token that it closes, or is closed by; -1: none
    bool directive = false;     // of a line of the preprocessor's
};

// What can stand for what: numbers of one kind for each other, pointers and arrays only for their like.
enum class ValueKind : uint8_t { other, whole, real, boolean };
struct Variable {
    std::string name;  // of a struct's member "p.n" or "p->n", which is one token
    std::string type;  // "float", "wmma::fragment<...>"
    ValueKind kind = ValueKind::other;
    int indirections = 0;  // stars and dimensions
    int from = 0, to = 0;  // tokens between which it is known
    bool constant = false;
    bool parameter = false, of_file = false;
};

// Of one whole number, no array of them.
inline bool is_whole(const Variable& v) { return v.kind == ValueKind::whole && v.indirections == 0; }
inline bool is_real(const Variable& v) { return v.kind == ValueKind::real && v.indirections == 0; }

struct Statement {
    int first = 0, last = 0;  // tokens; of one with a body its head alone: `for (...)`
    std::string_view word;    // "if", "for", "while", "return", "declaration", "" of an expression
    int body_last = -1;       // of a head the last token of what it governs
};

struct Body {
    int open = 0, close = 0;  // tokens: its braces
    std::vector<Statement> statements;
};

struct Source {
    std::string text;
    std::string code;  // without comments and what is between quotes, offset by offset
    std::vector<Token> tokens;
    std::vector<Body> bodies;                              // of functions
    std::vector<Variable> variables;                       // of bodies and of the file
    std::map<std::string, std::string> aliases;            // of types
    std::map<std::string, std::vector<Variable>> members;  // of structs

    std::string_view word(int token) const {
        const Token& t = tokens[static_cast<size_t>(token)];
        return std::string_view(code).substr(t.begin, t.end - t.begin);
    }
    // As it stands, with what is between the tokens.
    std::string words(int first, int last) const {
        const size_t begin = tokens[static_cast<size_t>(first)].begin;
        return text.substr(begin, tokens[static_cast<size_t>(last)].end - begin);
    }
    bool is(int token, std::string_view w) const {
        return token >= 0 && token < static_cast<int>(tokens.size()) && word(token) == w;
    }
    const Token& at(int token) const { return tokens[static_cast<size_t>(token)]; }
    int count() const { return static_cast<int>(tokens.size()); }
};

// `lines`: those of which there is code, `defines`: what the compiler is given; of #if the branch is read
// that they lead to (active_lines); `entry`: of the kernel, with its template's arguments.
using Defines = std::vector<std::pair<std::string, std::string>>;
Source read_source(
    std::string text, const std::set<int>& lines, const Defines& defines, const std::string& entry = {}
);
// Nothing but its tokens.
Source tokens_of(std::string text);

// Known before the token, innermost first; each name once.
std::vector<const Variable*> visible(const Source& source, int token);
const Variable* variable_at(const Source& source, int token);  // that this word names; null: none
bool alike(const Variable& a, const Variable& b);              // one can stand where the other does

bool is_member(const Variable& v);
std::string_view member_of(std::string_view name);            // "n" of "p.n"; empty: it is none
bool is_named(const Source& source, const Variable& member);  // anywhere, of whichever variable

std::vector<std::string_view> words_of(std::string_view code);  // its tokens
// As the source joins them.
std::vector<std::string_view> words_in(const Source& source, std::string_view code);
bool is_opening(std::string_view w);
bool is_closing(std::string_view w);
// Of a binary operator, larger binds tighter; 0: it is none, or stands before its only operand.
int precedence(const Source& source, int token);
bool is_assignment(const Source& source, int token);  // `=`, `+=` or another: sets what stands before it
// The operands of a binary operator: tokens.
struct Operands {
    int left = 0, right = 0;  // the first of the left one, the last of the right one
};
Operands operands_of(const Source& source, int token);

}  // namespace wl::diagnosis::rewrite
