// What a function lacks by its own text: variables that nobody feeds, writes or makes anything of; and where
// a statement can be put.
#pragma once

#include "instrumentation/diagnosis/rewrite/writer.h"

#include <map>
#include <string>
#include <vector>

namespace wl::diagnosis::rewrite {

// What becomes of a variable, in the order of the text, marks left out.
struct Event {
    enum class Kind : uint8_t {
        fed,    // made of something else, or handed on to who may do so
        own,    // made of what it is: `v += f(v)`, `a[t] += a[t + half]`
        heard,  // something else is made of it
    };
    int at = 0;  // token
    Kind kind = Kind::heard;
};

constexpr int kUnheard = 14;  // a log prior: of what nobody makes anything of

// Where a statement can stand between others.
struct Gap {
    size_t at = 0;  // offset
    int line = 0;
    int here = 0;       // the token behind it; before a closing brace the last one
    int closes = 0;     // the brace that ends what it stands in
    bool ends = false;  // behind the last statement of that
};

struct Facts {
    const Source& s;
    const Body& body;
    std::map<const Variable*, std::vector<Event>> events;
    std::vector<Gap> gaps;  // in the order of the text
};
Facts facts_of(const Source& s, const Body& body);

bool is_ever(const Facts& f, const Variable& v, Event::Kind kind);
// A number of the function that begins with a value and is asked for before anybody feeds it.
bool is_starved(const Facts& f, const Variable& v);
// Whether what it holds there is asked for by nobody behind it, in the loop around that neither.
bool is_unheard(const Facts& f, const Variable& v, int here);
// Numbers of that kind, innermost first.
std::vector<const Variable*> unheard_at(const Facts& f, ValueKind kind, int here);

bool is_shared(const Source& s, const Variable& v);
// Where it is set: behind the name, its subscripts and members, `=`, `+=` or another; -1: it is not set
// there.
int sets_at(const Source& s, int name);
bool is_empty_head(const Source& s, const Statement& st);  // of `if` or `for`: `;` is its body

// Text put into a gap.
void put(Writer& w, const Gap& gap, Rule rule, int cost, const std::string& text, int bias = 0);
// To a list of texts without doubles, until it has so many.
void add_new(std::vector<std::string>& out, std::string text, size_t most);

}  // namespace wl::diagnosis::rewrite
