// The table of edits (edits.toml): what people write by mistake and what they mean, a row each. A row's
// pattern is matched over the tokens of a source; `docs/internals/edits.md` has the notation.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

#include <string>
#include <string_view>
#include <vector>

namespace wl::diagnosis::rewrite {

struct Row;

// What a hole of a pattern stands for.
struct Bound {
    int first = -1, last = -1;           // tokens; -1: it is not in the pattern
    const Variable* variable = nullptr;  // where it is one
    std::string text;
};

struct Match {
    const Source& s;
    const Body& body;
    const Row& row;
    int anchor = 0;             // token
    int here = 0;               // the first token of the statement, or the anchor
    std::vector<Bound> holes;   // in the order of Row::holes
    int first = -1, last = -2;  // what is replaced; last < first: something is put before `first`
};

// A condition of a variable, as `whole` or `like(a)`.
struct Test {
    bool (*holds)(const Match& m, const Variable& v, int token, int other) = nullptr;
    bool negated = false;
    int other = -1;  // a hole
};

// A condition of what a hole stands for, or of what stands around what is replaced.
struct Condition {
    bool (*holds)(const Match& m, const Bound& hole, const std::string& word) = nullptr;
    bool negated = false;
    int hole = -1;
    std::vector<std::string> words;  // one of which fits
};

struct Element {
    enum class Kind : uint8_t {
        words,     // one of them
        variable,  // one token
        element,   // a name with its subscripts
        number,    // as it is written
        operand,   // of the operator that is the anchor; else up to the end of the expression
        inside,    // all that is in the brackets; behind no bracket all of the statement
        sets,      // the `=` of a statement, or its `return`
    };
    Kind kind = Kind::words;
    std::vector<std::string> words = {};
    int hole = -1;
    std::vector<Test> tests = {};
};

// A hole that is not in the pattern: each variable that is known there and fits.
struct Choices {
    int hole = -1;
    std::vector<Test> tests, later;  // of itself; beside another choice
    bool products = false;           // no variables: products of whole numbers that the function writes
};

struct Row {
    std::string rule;
    int cost = 2, prior = 0;  // Rewrite::cost, Rewrite::bias
    bool near = true;         // of suspected lines alone
    bool inside = false;      // of a statement at each of its tokens
    std::vector<std::string> holes;
    std::vector<Element> pattern;
    int anchor = 0;             // of the pattern
    int marked = 0, end = 0;    // elements that are replaced, from and to; none: something is put there
    std::vector<Choices> each;  // the last one turns fastest
    size_t most = 0;            // choices at one place; 0: all
    std::vector<std::vector<Condition>> where;  // of each one holds
    std::vector<std::string> put;  // none: each of the pattern's words but the one that stands there
    std::string wrong, right;      // its example
    int line = 0;                  // of the table
};

// Rows that are tried one after the other at each token, or at each statement.
struct Pass {
    std::string name;
    std::vector<Row> rows;
    bool statements = false;
};

// Throws Error "edits.toml:7: ..." where a row does not say what it should.
std::vector<Pass> read_table(const std::string& text, const std::string& name);
const std::vector<Pass>& edit_table();  // that of the program
const Pass& pass_of(std::string_view name);

// `unread`: what the hole of that name stands for.
void try_rows(Writer& w, const Pass& pass, int token, const Body& body, const Variable* unread = nullptr);
void try_rows(
    Writer& w, const Pass& pass, const Statement& st, const Body& body, const Variable* unread = nullptr
);

}  // namespace wl::diagnosis::rewrite
