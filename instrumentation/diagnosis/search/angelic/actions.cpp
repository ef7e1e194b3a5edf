// Actions and their text.
#include "instrumentation/diagnosis/search/angelic/actions.h"

#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/mutant_schemata.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace wl::diagnosis {

namespace {

using rewrite::Body;
using rewrite::Source;
using rewrite::Statement;
using rewrite::ValueKind;
using rewrite::Variable;

// What other returns of the function give, and what nobody counts with.
std::vector<std::string> returned(const Source& s, const Body& body) {
    if (rewrite::gives_nothing(s, body)) return {"return;"};
    std::vector<std::string> out;
    for (const Statement& st : body.statements)
        if (st.word == "return" && st.last > st.first + 1) {
            std::string text = s.words(st.first, st.last);
            if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
        }
    for (const char* text : {"return 0;", "return -1;"})
        if (std::find(out.begin(), out.end(), text) == out.end()) out.emplace_back(text);
    return out;
}

bool is_in_loop(const Source& s, const Body& body, int token) {
    return std::any_of(body.statements.begin(), body.statements.end(), [&](const Statement& st) {
        return (st.word == "for" || st.word == "while") && token > st.last && token <= st.body_last &&
            s.is(st.body_last, "}");
    });
}

// What the expression could be instead: a small number, or another variable of its kind.
std::vector<std::string> other_values(const Source& s, int first, int last, const Variable& kind) {
    constexpr size_t kMost = 14;
    std::vector<std::string> out = {"0", "1", "-1"};
    const std::string was = s.words(first, last);
    if (kind.kind == ValueKind::boolean) out = {"false", "true", "!(" + was + ")"};
    if (kind.kind == ValueKind::real) out = {"0.0f", "1.0f"};
    for (const Variable* v : visible(s, first))
        if (out.size() < kMost && rewrite::alike(*v, kind) && v->name != was && v->name != kind.name)
            out.push_back(v->name);
    return out;
}

struct Finder {
    const Source& s;
    const rewrite::SearchContext& context;
    int body = 0;
    std::vector<Action> out = {};

    void add(Action::Kind kind, int first, int last, std::string text) {
        const auto line = context.suspicion.find(s.at(first).line);
        if (line == context.suspicion.end()) return;
        AngelicSite at{first, last, s.at(first).line, line->second, body};
        at.before = kind != Action::Kind::value;
        out.push_back({kind, at, std::move(text)});
    }
    // What a statement sets, returns or decides by.
    void add_values(const Statement& st) {
        const int sets = rewrite::assignment_of(s, st);
        if (st.word == "if") {
            for (const char* text : {"false", "true"})
                add(Action::Kind::value, st.first + 2, s.at(st.first + 1).match - 1, text);
            return;
        }
        const bool plain = sets > st.first && s.is(sets, "=") && s.is(st.last, ";");
        const Variable* const v = plain ? rewrite::variable_set(s, st) : nullptr;
        if (v == nullptr || v->indirections > 0 || v->kind == ValueKind::other) return;
        if (rewrite::end_of_expression(s, sets + 1) != st.last - 1) return;
        for (std::string& text : other_values(s, sets + 1, st.last - 1, *v))
            add(Action::Kind::value, sets + 1, st.last - 1, std::move(text));
    }
    void look_at(const Body& of, const Statement& st) {
        if (rewrite::is_mark(s, st)) return;
        if (st.word.empty() || st.word == "if") add_values(st);
        if (!rewrite::is_alone(s, st) || st.word == "return") return;
        if (st.word.empty() && s.is(st.last, ";") && !rewrite::declares(s, st))
            add(Action::Kind::skip, st.first, st.last, "");
        for (std::string& text : returned(s, of))
            add(Action::Kind::leave, st.first, st.last, std::move(text));
        if (is_in_loop(s, of, st.first)) add(Action::Kind::leave, st.first, st.last, "continue;");
    }
};

struct Put {
    size_t at = 0;
    int turn = 0;  // of what is put there: ends, what stands before, what holds
    std::string text;
};

std::string line_of(size_t action) {
    return fmt::format("\n#line {}\n", (action + 1) * rewrite::kSwitchedLines);
}

// Of one expression all actions, one around the other.
std::vector<Put> puts_of(const Source& s, const std::vector<Action>& all) {
    std::vector<Put> out;
    for (size_t k = 0; k < all.size(); ++k) {
        const Action& a = all[k];
        const size_t begin = s.at(a.at.first).begin, end = s.at(a.at.last).end;
        const std::string here = fmt::format("\n#line {}\n", s.at(a.at.first).line),
                          there = fmt::format("\n#line {}\n", s.at(a.at.last).line);
        switch (a.kind) {
            case Action::Kind::leave:
                out.push_back({begin, 1, fmt::format("{}if (wl_acts({})) {}{}", line_of(k), k, a.text, here)}
                );
                break;
            case Action::Kind::skip:
                out.push_back({begin, 2, fmt::format("{}if (!wl_acts({})){}", line_of(k), k, here)});
                break;
            case Action::Kind::value:
                out.push_back({begin, 3, fmt::format("wl_value(")});
                out.push_back({end, 0, fmt::format(",{}{}, ({})){}", line_of(k), k, a.text, there)});
                break;
        }
    }
    return out;
}

}  // namespace

std::vector<Action> actions_of(const Source& source, const rewrite::SearchContext& context, size_t most) {
    Finder f{source, context};
    for (; f.body < static_cast<int>(source.bodies.size()); ++f.body) {
        const Body& body = source.bodies[static_cast<size_t>(f.body)];
        for (const Statement& st : body.statements) f.look_at(body, st);
    }
    std::stable_sort(f.out.begin(), f.out.end(), [](const Action& a, const Action& b) {
        return a.at.suspicion_rank < b.at.suspicion_rank;
    });
    if (f.out.size() > most) f.out.resize(most);
    return std::move(f.out);
}

std::string with_actions(const Source& source, const std::vector<Action>& actions, int64_t threads) {
    std::vector<Put> puts = puts_of(source, actions);
    std::stable_sort(puts.begin(), puts.end(), [](const Put& a, const Put& b) {
        return std::pair(a.at, a.turn) < std::pair(b.at, b.turn);
    });
    std::string out =
        site_memory(threads) +
        fmt::format(
            "__device__ inline bool wl_acts(int k) {{ return k == {0} && {1}[wl_site_turn()] != 0.0f; }}\n"
            "template <class T, class U> __device__ inline T wl_value(T e, int k, U v) "
            "{{ return wl_acts(k) ? static_cast<T>(v) : e; }}\n#line 1\n",
            kSite,
            kSiteBy
        );
    size_t from = 0;
    for (const Put& p : puts) {
        out += source.text.substr(from, p.at - from) + p.text;
        from = p.at;
    }
    return out + source.text.substr(from);
}

std::vector<std::string> known_at(const Source& s, const Action& action, size_t most) {
    std::vector<std::string> out;
    const auto add = [&](std::string text) {
        if (out.size() < most && std::find(out.begin(), out.end(), text) == out.end())
            out.push_back(std::move(text));
    };
    const int here = action.at.first;
    for (const Variable* v : visible(s, here)) {
        if (v->indirections > 0 || v->kind == ValueKind::other) continue;
        add(v->kind == ValueKind::real ? v->name : "float(" + v->name + ")");
    }
    const Body& body = s.bodies[static_cast<size_t>(action.at.body)];
    // Its own elements before those of the whole function.
    std::vector<int> tokens;
    for (int k = action.at.first; k < action.at.last; ++k) tokens.push_back(k);
    for (int k = body.open; k < body.close; ++k) tokens.push_back(k);
    for (const int k : tokens) {
        const Variable* const v = variable_at(s, k);
        const int last =
            v == nullptr || v->indirections == 0 || !s.is(k + 1, "[") ? -1 : rewrite::end_of_element(s, k);
        const bool number = last > k && (v->kind == ValueKind::real || v->kind == ValueKind::whole);
        if (!number || !rewrite::all_known(s, k, s.words(k, last), here)) continue;
        const std::string text = s.words(k, last);
        add(v->kind == ValueKind::real ? text : "float(" + text + ")");
    }
    for (const char* text : {"float(threadIdx.x)", "float(blockIdx.x)"}) add(text);
    return out;
}

rewrite::Rewrite done_where(const Source& s, const Action& a, const std::string& condition) {
    const size_t begin = s.at(a.at.first).begin, length = s.at(a.at.last).end - begin;
    const std::string was = s.words(a.at.first, a.at.last);
    rewrite::Rewrite r{"wrong_condition", 3, was, "", a.at.line, {}};
    const auto choice = [&](const std::string& of) {
        return fmt::format("{} ? {} : {}", condition, a.text, of);
    };
    if (a.kind == Action::Kind::leave) {
        r.was.clear(), r.now = fmt::format("if ({}) {}", condition, a.text);
        r.edits = {
            {begin, 0, r.now + " "}
        };
    } else if (a.kind == Action::Kind::skip) {
        r.now = fmt::format("if ({}) {}", condition, was);
        r.edits = {
            {begin, length, r.now}
        };
    } else {
        r.now = a.text == "true"
            ? fmt::format("{} || {}", condition, rewrite::in_brackets(s, a.at.first, a.at.last))
            : a.text == "false"
            ? fmt::format("!({}) && {}", condition, rewrite::in_brackets(s, a.at.first, a.at.last))
            : a.text.starts_with("!(")    ? fmt::format("({}) != ({})", was, condition)
            : was.find(" ? ") != was.npos ? choice("(" + was + ")")
                                          : choice(was);
        r.edits = {
            {begin, length, r.now}
        };
    }
    r.suspicion_rank = a.at.suspicion_rank, r.family = rewrite::Family::guards;
    return r;
}

}  // namespace wl::diagnosis
