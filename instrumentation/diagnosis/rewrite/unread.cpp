// What a function computes or is given and never reads: it should be a term or a factor of something. Rows
// that an index leaves out.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

bool is_unread(const Source& s, const Body& body, const Variable& v) {
    if (v.from < 0 || v.of_file || (!v.parameter && (v.from < body.open || v.from > body.close)))
        return false;
    if (is_member(v) && is_named(s, v)) return false;  // by another function, perhaps
    for (int k = body.open + 1; k < body.close; ++k) {
        if (variable_at(s, k) != &v || v.from == k) continue;
        // `lost = warp_sum(lost);`
        const Statement* const st = statement_of(body, k);
        if (st != nullptr && variable_at(s, st->first) == &v &&
            is_assignment(s, end_of_element(s, st->first) + 1))
            continue;
        const int behind = end_of_element(s, k) + 1;
        const bool own = s.is(k - 1, ";") || s.is(k - 1, "{") || s.is(k - 1, "}") || s.is(k - 1, ")");
        if (!own || !is_assignment(s, behind)) return false;
    }
    return true;
}

namespace {

constexpr const char *kTerm = "partial_reduction", *kFactor = "missing_rescale", *kIndex = "wrong_index";
constexpr size_t kMost = 8;

// Where it is set: the name's token; -1: nowhere.
int set_at(const Source& s, const Body& body, const Variable& v) {
    for (int k = body.open + 1; k < body.close; ++k)
        if (variable_at(s, k) == &v && v.from != k) return k;
    return -1;
}

// What the statement looks something up by: of `y[(row0 + row) * n + col0 + col]` all of it, `col0 + col`,
// `col`.
std::vector<std::string> subscripts_of(const Source& s, const Body& body, int here) {
    std::vector<std::string> out;
    const Statement* const st = statement_of(body, here);
    for (int k = st == nullptr ? 0 : st->first; st != nullptr && k < st->last; ++k) {
        const int last = s.is(k, "[") ? s.at(k).match - 1 : -1;
        if (last <= k || holds_real(s, k + 1, last)) continue;
        const auto add = [&](int first) {
            std::string text = s.words(first, last);
            if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
        };
        add(k + 1);
        for (int at = k + 1; at < last; ++at) {
            if (is_opening(s.word(at)) && s.at(at).match > at) at = s.at(at).match;
            if (s.is(at, "+") && precedence(s, at) > 0) add(at + 1);
        }
    }
    if (out.size() > kMost) out.resize(kMost);
    return out;
}

// It, or its elements: as it is set, else by what is at hand.
std::vector<std::string> values_of(const Writer& w, const Body& body, const Variable& v, int here) {
    if (v.indirections == 0) return {v.name};
    std::vector<std::string> out;
    if (const int set = set_at(w.s, body, v); set > 0) {
        const std::string text = w.s.words(set, end_of_element(w.s, set));
        if (all_known(w.s, set, text, here)) return {text};
    }
    for (const Variable* i : visible(w.s, here))
        if (v.indirections == 1 && is_whole(*i) && !i->of_file && out.size() < kMost)
            out.push_back(fmt::format("{}[{}]", v.name, i->name));
    for (const std::string& i : subscripts_of(w.s, body, here)) {
        std::string text = fmt::format("{}[{}]", v.name, i);
        if (v.indirections == 1 && std::find(out.begin(), out.end(), text) == out.end())
            out.push_back(std::move(text));
    }
    return out;
}

// What all elements of what the function is given are looked up by.
std::vector<std::string> subscripts_in(const Source& s, const Body& body, int here) {
    std::vector<std::string> out;
    for (int k = body.open + 1; k < body.close && out.size() < kMost; ++k) {
        const Variable* const v = variable_at(s, k);
        const bool element = v != nullptr && v->parameter && s.is(k + 1, "[") && s.at(k + 1).match > k + 2;
        if (!element) continue;
        std::string text = s.words(k + 2, s.at(k + 1).match - 1);
        const bool known = std::find(out.begin(), out.end(), text) != out.end();
        if (!known && all_known(s, k + 2, text, here)) out.push_back(std::move(text));
    }
    return out;
}

// `state[i]` for the 0.0f of `x = before ? in[i - 1] : 0.0f`, and of `sum = 0.0f`.
void stand_for_zero(Writer& w, const Body& body, const Variable& v, int k) {
    const bool value = w.s.is(k - 1, "=") || w.s.is(k - 1, ":") || w.s.is(k - 1, "?");
    const bool zero = w.s.is(k, "0.0f") || w.s.is(k, "0") || w.s.is(k, "0.f") || w.s.is(k, "0.0");
    if (!v.parameter || v.indirections > 1 || !value || !zero) return;
    std::vector<std::string> all = values_of(w, body, v, k);
    if (v.indirections == 1)
        for (const std::string& i : subscripts_in(w.s, body, k))
            all.push_back(fmt::format("{}[{}]", v.name, i));
    for (const std::string& text : all) w.replace("wrong_initial_value", 2, k, k, text);
}

std::vector<const Variable*> reals_at(const Writer& w, int here, bool settable) {
    std::vector<const Variable*> out;
    for (const Variable* v : visible(w.s, here)) {
        const bool fits = v->kind == ValueKind::real && v->indirections == 0 && !v->of_file;
        if (fits && !(settable && (v->constant || is_member(*v))) && out.size() < kMost) out.push_back(v);
    }
    return out;
}

// `a == b` of the function's own numbers: a diagonal, the first of something.
std::vector<std::string> equalities_at(const Writer& w, const Body& body, int here) {
    std::vector<std::string> out;
    const std::vector<const Variable*> all = visible(w.s, here);
    const auto own = [&](const Variable* v) { return is_whole(*v) && v->from > body.open; };
    for (size_t a = 0; a < all.size(); ++a) {
        if (!own(all[a])) continue;
        out.push_back(all[a]->name + " == 0");
        for (size_t b = a + 1; b < all.size(); ++b)
            if (own(all[b])) out.push_back(all[a]->name + " == " + all[b]->name);
    }
    if (out.size() > 2 * kMost) out.resize(2 * kMost);
    return out;
}

// `+ lost / n`, `+ u * lost / n`: of what all have their share.
void put_share_into(Writer& w, const Body& body, const Variable& v, int first, int last) {
    constexpr size_t kMostExtents = 3;
    const std::string text = w.s.words(first, last);
    size_t extents = 0;
    for (const Variable* n : visible(w.s, first)) {
        if (!is_whole(*n) || !is_given(body, *n) || ++extents > kMostExtents) continue;
        const std::string share = fmt::format("{} / {}", v.name, n->name);
        w.replace(kTerm, 2, first, last, fmt::format("{} + {}", text, share));
        for (const Variable* u : reals_at(w, first, false))
            if (u != &v) w.replace(kTerm, 2, first, last, fmt::format("{} + {} * {}", text, u->name, share));
    }
}

void put_into(Writer& w, const Body& body, const Variable& v, int first, int last) {
    const std::string e = in_brackets(w.s, first, last), text = w.s.words(first, last);
    for (const std::string& t : values_of(w, body, v, first)) {
        if (v.indirections > 0) {
            w.replace(kTerm, 2, first, last, fmt::format("{} + {}", text, t));
            w.replace(kFactor, 2, first, last, fmt::format("{} * {}", e, t));
        }
        for (const Variable* u : reals_at(w, first, false))
            if (u != &v) w.replace(kTerm, 2, first, last, fmt::format("{} + {} * {}", text, u->name, t));
    }
    if (v.indirections == 0 && !v.parameter) put_share_into(w, body, v, first, last);
    if (v.parameter && v.indirections == 0)
        for (const std::string& c : equalities_at(w, body, first))
            w.replace(kTerm, 2, first, last, fmt::format("{} + ({} ? {} : 0.0f)", text, c, v.name));
}

// `expf(-v.w * dt)` of `expf(-v.w)`: of what a call is given.
void put_into_arguments(Writer& w, const Variable& v, int open) {
    const bool call =
        w.s.is(open, "(") && w.s.at(open - 1).kind == Token::Kind::word && w.s.at(open).match > open;
    if (!call || v.indirections > 0) return;
    for (const auto& [first, last] : arguments_of(w.s, open)) {
        if (holds_real(w.s, first, last) && w.s.words(first, last) != v.name) {
            const std::string e = in_brackets(w.s, first, last);
            for (const char* form : {"{} * {}", "{} / {}", "{} - {}", "{} + {}"})
                w.replace(
                    form[3] == '*' || form[3] == '/' ? kFactor : kTerm,
                    2,
                    first,
                    last,
                    fmt::format(fmt::runtime(form), e, v.name)
                );
        }
    }
}

bool is_named_in(const Source& s, const Statement* st, const std::string& name) {
    for (int k = st == nullptr ? 0 : st->first; st != nullptr && k <= st->last; ++k)
        if (s.is(k, name)) return true;
    return false;
}

// `h += decay * carry[s];` before a statement.
void add_to(Writer& w, const Body& body, const Variable& v, const Statement& st) {
    if (!is_alone(w.s, st)) return;
    const size_t at = w.s.at(st.first).begin;
    const int line = w.s.at(st.first).line, set = set_at(w.s, body, v);
    const Statement* const setter = set < 0 ? nullptr : statement_of(body, set);
    for (const Variable* x : reals_at(w, st.first, true)) {
        if (x == &v) continue;
        // Of what it was set to, likely.
        constexpr int kCarried = 12;
        const bool carried = is_named_in(w.s, setter, x->name);
        const auto put = [&](const char* rule, const std::string& text) {
            w.insert(rule, 2, at, line, text);
            w.out.back().bias = carried ? kCarried : 0;
        };
        for (const std::string& t : values_of(w, body, v, st.first)) {
            put(kTerm, fmt::format("{} += {}; ", x->name, t));
            put(kFactor, fmt::format("{} *= {}; ", x->name, t));
            if (v.parameter) continue;
            for (const Variable* u : reals_at(w, st.first, false))
                if (u != &v && u != x) put(kTerm, fmt::format("{} += {} * {}; ", x->name, u->name, t));
        }
    }
}

void use(Writer& w, const Body& body, const Variable& v) {
    for (const Statement& st : body.statements) {
        const bool known = v.parameter || (v.from < st.first && v.to > st.last);
        if (!known || !w.is_near(st.first) || is_mark(w.s, st)) continue;
        if (!v.parameter || v.indirections == 0) add_to(w, body, v, st);
        for (int k = st.first; k < st.last && w.s.is(st.last, ";"); ++k) {
            stand_for_zero(w, body, v, k), put_into_arguments(w, v, k);
            const bool begins = is_assignment(w.s, k) || w.s.is(k, "return");
            if (!begins || variable_at(w.s, k - 1) == &v) continue;
            const int last = end_of_expression(w.s, k + 1);
            if (last >= k + 1 && holds_real(w.s, k + 1, last)) put_into(w, body, v, k + 1, last);
        }
    }
}

// `(q - zero)` of `q`, where nobody asks for `zero`: of whole numbers that the statement reads.
void use_whole(Writer& w, const Body& body, const Variable& v) {
    for (const Statement& st : body.statements) {
        const bool known = v.parameter || (v.from < st.first && v.to > st.last);
        if (!known || !w.is_near(st.first) || is_mark(w.s, st) || !w.s.is(st.last, ";")) continue;
        const int sets = assignment_of(w.s, st);
        for (int k = std::max(sets + 1, st.first); k < st.last; ++k) {
            const Variable* const u = variable_at(w.s, k);
            if (u == nullptr || u == &v || u->from == k || !is_whole(*u)) continue;
            for (const char* form : {"({} - {})", "({} + {})", "{} * {}"})
                w.replace(kIndex, 2, k, k, fmt::format(fmt::runtime(form), u->name, v.name));
        }
    }
}

// `bins[b]` of `bins[t % n]`, where nobody asks for `b`; and kept within what the function is given.
void look_up_by(Writer& w, const Body& body, const Variable& v) {
    for (const Statement& st : body.statements) {
        const bool known = v.from < st.first && v.to > st.last;
        if (!known || !w.is_near(st.first) || is_mark(w.s, st)) continue;
        for (int k = st.first; k < st.last; ++k) {
            const int last = w.s.is(k, "[") ? w.s.at(k).match - 1 : -1;
            if (last <= k || holds_real(w.s, k + 1, last)) continue;
            w.replace(kIndex, 2, k + 1, last, v.name);
            for (const Variable* n : visible(w.s, k))
                if (is_whole(*n) && is_given(body, *n))
                    w.replace(
                        kIndex, 2, k + 1, last, fmt::format("min(max({}, 0), {} - 1)", v.name, n->name)
                    );
        }
    }
}

// `rank[u] / degree[u]` of `rank[u] / (row[u + 1] - row[u])`: an array that nobody reads for what is made
// instead.
void read_instead(Writer& w, const Body& body, const Variable& v) {
    for (int k = body.open + 1; k < body.close; ++k) {
        const int last = w.s.is(k, "(") ? w.s.at(k).match : -1;
        const bool operand = last > k + 2 && (precedence(w.s, k - 1) > 0 || w.s.is(k - 1, "="));
        if (!operand || !w.is_near(k)) continue;
        std::vector<std::string> by;
        for (int at = k + 1; at < last; ++at) {
            const Variable* const i = variable_at(w.s, at);
            const bool fits = i != nullptr && is_whole(*i) && is_own(body, *i);
            if (fits && std::find(by.begin(), by.end(), i->name) == by.end()) by.push_back(i->name);
        }
        for (const std::string& i : by)
            w.replace("wrong_operand", 2, k, last, fmt::format("{}[{}]", v.name, i));
    }
}

// `if (id == padding) continue;` behind the declaration of a number, of a parameter that nothing reads.
void pass_over(Writer& w, const Body& body, const Variable& parameter) {
    for (const Statement& st : body.statements) {
        if (is_mark(w.s, st) || !w.s.is(st.last, ";") || st.body_last >= 0) continue;
        for (const Variable& x : w.s.variables) {
            if (x.from < st.first || x.from > st.last || !is_whole(x) || x.parameter) continue;
            bool looped = false;
            for (const Statement& loop : body.statements)
                looped = looped || (loop.word == "for" && loop.last < st.first && loop.body_last >= st.last);
            for (const char* sign : {"==", "!=", ">=", "<"})
                w.insert(
                    "wrong_condition",
                    2,
                    w.s.at(st.last).end,
                    w.s.at(st.last).line,
                    fmt::format(
                        " if ({} {} {}) {};", x.name, sign, parameter.name, looped ? "continue" : "return"
                    )
                );
        }
    }
}

// `if (class_of[j] != mine) continue;` as a loop begins: neither is asked for anywhere.
void pass_over_others(Writer& w, const Body& body, const Variable& v) {
    for (const Variable& table : w.s.variables) {
        const bool fits = table.indirections == 1 && table.kind == ValueKind::whole && table.from < v.to &&
            table.to > v.from && is_unread(w.s, body, table);
        for (const Statement& loop : body.statements) {
            const bool turns = fits && loop.word == "for" && loop.first > v.from && loop.last < v.to &&
                w.s.is(loop.last + 1, "{");
            if (!turns) continue;
            for (const Variable& i : w.s.variables) {
                if (i.from < loop.first || i.from > loop.last || !is_whole(i)) continue;
                const Token& open = w.s.at(loop.last + 1);
                const std::string who = fmt::format("{}[{}]", table.name, i.name);
                for (const char* sign : {"!=", "=="})
                    w.insert(
                        "wrong_condition",
                        2,
                        open.end,
                        w.s.at(loop.last + 2).line,
                        fmt::format(" if ({} {} {}) continue; ", who, sign, v.name)
                    );
            }
        }
    }
}

// Where the block is, or set to it.
bool is_of_block(const Source& s, const Body& body, const std::string& name) {
    if (name.starts_with("blockIdx")) return true;
    for (int k = body.open; k < body.close; ++k)
        if (s.is(k, name) && s.is(k + 1, "=")) {
            for (int at = k + 2; !s.is(at, ";") && !s.is(at, ","); ++at)
                if (s.is(at, "blockIdx")) return true;
            return false;
        }
    return false;
}

// `i`: `row * columns + i`.
void add_row(Writer& w, const Body& body, int k) {
    if (!w.s.is(k, "[") || w.s.at(k).match < k || !w.is_near(k)) return;
    const int first = k + 1, last = w.s.at(k).match - 1;
    if (last < first || last - first > 8 || holds_real(w.s, first, last)) return;
    const std::string text = w.s.words(first, last);
    std::vector<std::string> rows = {"blockIdx.x", "blockIdx.y"};
    const Variable* const array = variable_at(w.s, k - 1);
    const bool given = array != nullptr && array->parameter;
    std::vector<const Variable*> extents;
    for (const Variable* v : visible(w.s, k)) {
        if (v->kind != ValueKind::whole || v->indirections > 0) continue;
        if (v->parameter || v->of_file)
            extents.push_back(v);
        else if (v->from > body.open && rows.size() < kMost)
            rows.push_back(v->name);
    }
    if (extents.size() > kMost) extents.resize(kMost);
    // Of what the function is given every block has its own part.
    constexpr int kOwnPart = 20;
    const auto put = [&](const std::string& row, const Variable& n) {
        w.replace(kIndex, 3, first, last, fmt::format("{} * {} + {}", row, n.name, text));
        if (given && is_of_block(w.s, body, row)) w.out.back().bias = kOwnPart;
    };
    for (const std::string& row : rows)
        for (const Variable* n : extents)
            if (text.find(row) == text.npos && text.find(n->name) == text.npos) put(row, *n);
}

}  // namespace

void add_unread(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Variable& v : w.s.variables)
            if (is_whole(v) && v.parameter && v.to == body.close && is_unread(w.s, body, v))
                pass_over(w, body, v);
    for (const Body& body : w.s.bodies)
        for (const Variable& v : w.s.variables)
            if (is_whole(v) && (is_own(body, v) || is_given(body, v)) && is_unread(w.s, body, v) &&
                loop_of(body, v) == nullptr) {
                use_whole(w, body, v);
                if (is_own(body, v)) look_up_by(w, body, v), pass_over_others(w, body, v);
            }
    for (const Body& body : w.s.bodies)
        for (const Variable& v : w.s.variables)
            if (v.kind == ValueKind::real && v.to >= body.open && is_unread(w.s, body, v) &&
                (!v.parameter || v.to == body.close))
                use(w, body, v);
    for (const Body& body : w.s.bodies)
        for (const Variable& v : w.s.variables)
            if (is_given(body, v) && v.indirections == 1 && v.kind != ValueKind::other &&
                is_unread(w.s, body, v))
                read_instead(w, body, v);
    for_each_token(w, [&](int k, const Body& body) { add_row(w, body, k); });
}

}  // namespace wl::diagnosis::rewrite
