// Families of changes; each adds its own.
#pragma once

#include "instrumentation/diagnosis/rewrite/change.h"
#include "instrumentation/diagnosis/rewrite/source.h"

#include <functional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace wl::diagnosis::rewrite {

constexpr int kTogether = 20;  // a log prior: several places that read alike

// What a change proves, as Rewrite::rule, and the code that makes it: its file is Rewrite::made_in.
struct Rule {
    const char* name;
    std::source_location maker;
    Rule(const char* rule, std::source_location by = std::source_location::current()) :
        name(rule), maker(by) {}
};

struct Writer {
    const Source& s;
    const SearchContext& context;
    std::vector<Rewrite> out = {};

    bool is_near(int token) const { return context.suspicion.contains(s.at(token).line); }
    // What stands from `first` to `last` becomes `now`.
    void replace(Rule rule, int cost, int first, int last, const std::string& now) {
        const size_t begin = s.at(first).begin;
        const Edit edit{begin, s.at(last).end - begin, now};
        add({rule.name, cost, s.words(first, last), now, s.at(first).line, {edit}}, rule.maker);
    }
    void insert(Rule rule, int cost, size_t at, int line, const std::string& now) {
        add({rule.name, cost, "", now, line, {{at, 0, now}}}, rule.maker);
    }
    void add(Rewrite r, std::source_location maker = std::source_location::current()) {
        r.made_in = maker.file_name();
        out.push_back(std::move(r));
    }
};

// Log priors: what is rare, and mostly right where it can be made at all.
constexpr int kRare = 20, kTelling = 45;
// As Writer::replace, another text of several words.
inline void put(Writer& w, int bias, Rule rule, int first, int last, const std::string& now) {
    w.replace(rule, 2, first, last, now);
    w.out.back().bias = bias;
}
// As Writer::insert, before or behind a token, with a space between.
inline void put_before(Writer& w, int bias, Rule rule, int token, const std::string& now, int cost = 3) {
    w.insert(rule, cost, w.s.at(token).begin, w.s.at(token).line, now + " ");
    w.out.back().bias = bias;
}
inline void put_behind(Writer& w, int bias, Rule rule, int token, const std::string& now, int cost = 3) {
    w.insert(rule, cost, w.s.at(token).end, w.s.at(token).line, " " + now);
    w.out.back().bias = bias;
}
bool is_operand(const Source& s, int token);  // a variable that is read there, whole

// Inside of functions, without statements that are marks or the compiler's own checks.
void for_each_token(const Writer& w, const std::function<void(int token, const Body& body)>& visit);
bool is_mark(const Source& s, const Statement& statement);
bool declares(const Source& s, const Statement& statement);  // a variable
// A variable of the function itself, no parameter; one that it is given.
bool is_own(const Body& body, const Variable& v);
bool is_given(const Body& body, const Variable& v);
// A whole number that it is given, or that the file has.
inline bool is_extent(const Body& body, const Variable& v) {
    return is_whole(v) && (is_given(body, v) || v.of_file);
}
bool is_unread(const Source& s, const Body& body, const Variable& v);  // set or given there, and never read
bool is_alone(const Source& s, const Statement& statement);            // something can stand before it
// Whether each turn of the `for` halves its number, or doubles it.
bool halves(const Source& s, const Statement& loop);
bool doubles(const Source& s, const Statement& loop);
// The statement that holds the token; null: none.
const Statement* statement_of(const Body& body, int token);
// The `for` whose head declares it; null: none.
const Statement* loop_of(const Body& body, const Variable& v);
// The token that sets what the statement sets: its `=`, `+=` or another; -1: none.
int assignment_of(const Source& s, const Statement& statement);
// The variable that it declares or sets with that; null: an element, or none.
const Variable* variable_set(const Source& s, const Statement& statement);
bool is_template_angle(const Source& s, int token);

void add_signs(Writer& w);    // signs.cpp: comparisons, operations, assignments
void add_parts(Writer& w);    // terms left out or exchanged
void add_numbers(Writer& w);  // numbers.cpp
void add_names(Writer& w);    // names.cpp: variables, axes, functions, types
void add_exchanges(Writer& w);
void add_terms(Writer& w);       // terms.cpp: something put into an expression
void add_conditions(Writer& w);  // conditions.cpp: guards put in, left out, and joined
void add_guards(Writer& w);      // guards.cpp: by what an index is compared with
void add_statements(Writer& w);  // moves.cpp: statements left out, put in, and moved
void add_stores(Writer& w);      // missing/stores.cpp: of arrays that nobody writes
void add_indices(Writer& w);     // indices.cpp: other indices, conversions, orders of a product
void add_initial(Writer& w);     // initial.cpp: first values
void add_analogies(Writer& w);   // analogy.cpp: what stands nearly so elsewhere
void add_operands(Writer& w);    // operands.cpp: an element for a variable, another element
void add_brackets(Writer& w);    // brackets.cpp: what a factor or a conversion is of
void add_loops(Writer& w);       // loops.cpp: work that is done once; sums of several
void add_unread(Writer& w);      // unread.cpp: what is at hand and never read; rows of an index
void add_combined(Writer& w);    // combined.cpp: of two what stands for one
void add_idioms(Writer& w);      // idioms.cpp: what right programs nearly always say
void add_missing(Writer& w);     // missing/: statements that a function lacks
void add_arrays(Writer& w);      // arrays.cpp: how elements are looked up as a rule
void add_siblings(Writer& w);    // siblings.cpp: expressions that are written twice with other names

}  // namespace wl::diagnosis::rewrite
