// Stores that are missing: of arrays that nobody writes, made of what is at hand there.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis::rewrite {

namespace {

constexpr const char* kRule = "never_written";
constexpr size_t kMostSubscripts = 8, kMostValues = 10, kMostPlaces = 16, kMostGuarded = 4;

struct Uses {
    bool stored = false;  // or handed on, to who may store
    bool read = false;
};

Uses uses_in(const Source& s, const Body& body, const Variable& v) {
    Uses out;
    for (int k = body.open + 1; k < body.close; ++k) {
        if (variable_at(s, k) != &v || v.from == k) continue;
        int behind = end_of_element(s, k) + 1;
        const bool element = behind > k + 1;
        while (s.is(behind, ".")) behind += 2;
        const bool sets = s.word(behind).ends_with('=') && precedence(s, behind) == 0;
        const bool steps = s.is(behind, "++") || s.is(behind, "--") || s.is(k - 1, "++") || s.is(k - 1, "--");
        const bool address = s.is(k - 1, "&") && precedence(s, k - 1) == 0;
        (element && !sets && !steps && !address ? out.read : out.stored) = true;
    }
    return out;
}

bool is_shared(const Source& s, const Variable& v) {
    for (int k = v.from; k > 0 && !s.is(k, ";") && !s.is(k, "{") && !s.is(k, "}"); --k)
        if (s.is(k, "__shared__")) return true;
    return false;
}

// An output that the function does not name, or its own memory that it only reads.
bool lacks_stores(const Source& s, const Body& body, const Variable& v) {
    const bool kind = v.kind == ValueKind::real || v.kind == ValueKind::whole;
    if (!kind || v.indirections == 0 || v.constant || v.of_file) return false;
    const bool own = v.parameter ? v.to == body.close : v.from > body.open && v.from < body.close;
    if (!own || (is_member(v) && is_named(s, v))) return false;
    const Uses uses = uses_in(s, body, v);
    if (uses.stored) return false;
    return v.parameter ? !uses.read && v.indirections == 1 : uses.read && is_shared(s, v);
}

void add_new(std::vector<std::string>& out, std::string text, size_t most) {
    if (out.size() < most && std::find(out.begin(), out.end(), text) == out.end())
        out.push_back(std::move(text));
}

// "[row][t]": as the function looks up what has as many dimensions, its own first.
std::vector<std::string> subscripts_at(const Writer& w, const Body& body, const Variable& of, int here) {
    std::vector<std::string> out;
    for (const bool own : {true, false})
        for (int k = body.open + 1; k < body.close; ++k) {
            const Variable* const v = variable_at(w.s, k);
            const bool alike = v != nullptr && v->from != k && v->indirections == of.indirections;
            if (!alike || (v == &of) != own || !w.s.is(k + 1, "[")) continue;
            const std::string text = w.s.words(k + 1, end_of_element(w.s, k));
            if (all_known(w.s, k + 1, text, here)) add_new(out, text, kMostSubscripts);
        }
    if (of.indirections > 1) return out;
    for (const Variable* i : visible(w.s, here))
        if (is_whole(*i) && !i->of_file && !i->parameter)
            add_new(out, "[" + i->name + "]", 2 * kMostSubscripts);
    for (const std::string& e : whole_expressions(w.s, body, here))
        add_new(out, "[" + e + "]", 2 * kMostSubscripts);
    for (const char* place : {"[threadIdx.x]", "[blockIdx.x]"}) add_new(out, place, 2 * kMostSubscripts);
    return out;
}

// Variables, those first that nobody reads; of what is given elements, the same.
std::vector<std::string> values_at(const Writer& w, const Body& body, const Variable& of, int here) {
    std::vector<std::string> out;
    const std::vector<const Variable*> all = visible(w.s, here);
    const std::map<std::string, int> uses = uses_of(w.s, body);
    const auto is_used = [&](const Variable* v) {
        const auto found = uses.find(v->name);
        return found != uses.end() && found->second > (v->parameter ? 0 : 1);
    };
    for (const bool used : {false, true}) {
        for (const Variable* v : all)
            if (v->kind == of.kind && v->indirections == 0 && !v->of_file && is_used(v) == used)
                add_new(out, v->name, kMostValues);
        // Of an output also elements of the function's own arrays.
        for (int k = body.open + 1; k < body.close && of.parameter; ++k) {
            const Variable* const v = variable_at(w.s, k);
            const int last = end_of_element(w.s, k);
            const bool own =
                v != nullptr && v->kind == of.kind && v->from > body.open && v->from != k && last > k;
            if (own && all_known(w.s, k, w.s.words(k, last), here))
                add_new(out, w.s.words(k, last), kMostValues);
        }
        if (of.parameter) continue;
        for (const Variable* v : all) {
            const bool given =
                v->parameter && v->kind == of.kind && v->indirections == 1 && is_used(v) == used;
            if (!given) continue;
            for (const std::string& e : whole_expressions(w.s, body, here))
                add_new(out, fmt::format("{}[{}]", v->name, e), 2 * kMostValues);
            for (const Variable* i : all)
                if (is_whole(*i) && !i->of_file && !i->parameter)
                    add_new(out, fmt::format("{}[{}]", v->name, i->name), 2 * kMostValues);
        }
    }
    return out;
}

// `threadIdx.x == 0`, `row < n`: as the function writes them.
std::vector<std::string> guards_at(const Writer& w, const Body& body, int here) {
    constexpr size_t kMost = 3;
    std::vector<std::string> out;
    for (const Statement& st : body.statements) {
        if (st.word != "if" || !w.s.is(st.first + 1, "(")) continue;
        const std::string text = w.s.words(st.first + 2, st.last - 1);
        if (all_known(w.s, st.first + 2, text, here)) add_new(out, text, kMost);
    }
    add_new(out, "threadIdx.x == 0", kMost + 1);
    return out;
}

// As the empty body of a head: `if (row < n) ;`.
void fill_body(Writer& w, const Body& body, const Variable& v, const Statement& head) {
    const int at = head.body_last;
    for (const std::string& subscript : subscripts_at(w, body, v, at))
        for (const std::string& value : values_at(w, body, v, at))
            if (subscript != "[" + value + "]")
                w.replace(kRule, 2, at, at, fmt::format("{}{} = {};", v.name, subscript, value));
}

// Behind the statement.
void store(Writer& w, const Body& body, const Variable& v, const Statement& st) {
    const int here = st.last + 1;
    if (!v.parameter && v.from > st.first) return;
    const size_t at = w.s.at(st.last).end;
    const int line = w.s.at(st.last).line;
    const std::vector<std::string> values = values_at(w, body, v, here), guards = guards_at(w, body, here);
    for (const std::string& subscript : subscripts_at(w, body, v, here))
        for (size_t n = 0; n < values.size(); ++n) {
            if (subscript == "[" + values[n] + "]") continue;
            const std::string text = fmt::format("{}{} = {};", v.name, subscript, values[n]);
            w.insert(kRule, 2, at, line, " " + text);
            for (size_t g = 0; g < guards.size() && n < kMostGuarded; ++g)
                w.insert(kRule, 3, at, line, fmt::format(" if ({}) {}", guards[g], text));
        }
}

}  // namespace

void add_stores(Writer& w) {
    for (const Body& body : w.s.bodies)
        for (const Variable& v : w.s.variables) {
            if (!lacks_stores(w.s, body, v)) continue;
            size_t places = 0;
            for (size_t k = body.statements.size(); k-- > 0 && places < kMostPlaces;) {
                const Statement& st = body.statements[k];
                if (st.word == "if" && st.body_last == st.last + 1 && w.s.is(st.body_last, ";"))
                    fill_body(w, body, v, st);
                const bool plain = st.body_last < 0 && w.s.is(st.last, ";");
                const bool alone =
                    w.s.is(st.first - 1, ";") || w.s.is(st.first - 1, "{") || w.s.is(st.first - 1, "}");
                if (!plain || !alone || is_mark(w.s, st) || w.s.is(st.first, "return")) continue;
                store(w, body, v, st), ++places;
            }
        }
}

}  // namespace wl::diagnosis::rewrite
