// Variables of a narrow type made wide, with what is computed for them: a sum in halves as one in floats.
#include "instrumentation/diagnosis/rewrite/expressions.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace wl::diagnosis::rewrite {

namespace {

constexpr std::array<std::string_view, 5> kNarrow = {
    "half", "__half", "__nv_bfloat16", "nv_bfloat16", "bfloat16"};
bool is_narrow(std::string_view type) {
    return std::find(kNarrow.begin(), kNarrow.end(), type) != kNarrow.end();
}

// What is computed narrowly, and the same of floats; arguments that are narrow become floats on their own.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> kWide = {
    {{"__hadd", "__fadd_rn"},
     {"__hsub", "__fsub_rn"},
     {"__hmul", "__fmul_rn"},
     {"__hdiv", "__fdividef"},
     {"__hfma", "fmaf"},
     {"__hmax", "fmaxf"},
     {"__hmin", "fminf"},
     {"__hneg", "-"},
     {"__habs", "fabsf"},
     {"hexp", "expf"},
     {"hlog", "logf"},
     {"hsqrt", "sqrtf"},
     {"hrsqrt", "rsqrtf"},
     {"__float2half", "static_cast<float>"},
     {"__float2half_rn", "static_cast<float>"},
     {"__float2bfloat16", "static_cast<float>"},
     {"__float2bfloat16_rn", "static_cast<float>"},
     {"__half2float", "static_cast<float>"},
     {"__bfloat162float", "static_cast<float>"}}
};

// The token of the type, before the name: `half` of `half a = x, acc = y`.
int type_before(const Source& s, int name) {
    for (int k = name - 1; k > 0 && !s.is(k, ";") && !s.is(k, "{") && !s.is(k, "}"); --k)
        if (is_narrow(s.word(k))) return k;
    return -1;
}

// All that one declaration names at once.
void widen(Writer& w, const Body& body, int type) {
    std::vector<std::string> names;
    for (const Variable& v : w.s.variables)
        if (v.from > body.open && v.from < body.close && type_before(w.s, v.from) == type)
            names.push_back(v.name);
    if (names.empty()) return;
    Rewrite r{"precision", 1, std::string(w.s.word(type)), "float", w.s.at(type).line, {}};
    std::vector<int> tokens = {type};
    for (const Statement& st : body.statements) {
        if (is_mark(w.s, st)) continue;
        // Of a store elsewhere what is stored stays narrow.
        const bool own = std::find(names.begin(), names.end(), w.s.word(st.first)) != names.end() ||
            (type >= st.first && type <= st.last);
        if (!own) continue;
        for (int k = st.first; k <= st.last; ++k)
            if (std::any_of(kWide.begin(), kWide.end(), [&](const auto& p) { return w.s.is(k, p.first); }))
                tokens.push_back(k);
    }
    std::sort(tokens.begin(), tokens.end());
    for (const int k : tokens) {
        const auto* const found =
            std::find_if(kWide.begin(), kWide.end(), [&](const auto& p) { return w.s.is(k, p.first); });
        const std::string now(found == kWide.end() ? "float" : found->second);
        r.edits.push_back({w.s.at(k).begin, w.s.word(k).size(), now});
    }
    w.add(std::move(r));
}

// All whole numbers that a product or a shift is made of, in 64 bits: `(long long)a * b + (1ll << n)`.
void widen_whole(Writer& w, const Statement& st) {
    const Source& s = w.s;
    const int sets = assignment_of(s, st), first = sets + 1, last = st.last - 1;
    if (sets < 0 || last <= first || !s.is(st.last, ";") || holds_real(s, first, last)) return;
    bool grows = false;
    std::string now;
    size_t from = s.at(first).begin;
    for (int k = first; k <= last; ++k) {
        const bool sign = (s.is(k, "*") || s.is(k, "<<")) && precedence(s, k) > 0;
        grows = grows || sign;
        const Variable* const v = variable_at(s, k);
        const bool number = s.at(k).kind == Token::Kind::number,
                   whole = v != nullptr && v->kind == ValueKind::whole;
        if (!number && !whole) continue;
        now += s.text.substr(from, s.at(k).begin - from);
        const int end = end_of_element(s, k);
        const std::string text = s.words(k, end);
        const bool is_long = number && (text.ends_with("l") || text.ends_with("L"));
        now += number ? text + (is_long ? "" : "ll") : "(long long)" + text;
        from = s.at(end).end, k = end;
    }
    now += s.text.substr(from, s.at(last).end - from);
    if (grows) put(w, kRare, "overflow", first, last, now);
}

}  // namespace

void add_wide(Writer& w) {
    for (int k = 0; k + 4 < w.s.count(); ++k) {
        const bool alias = w.s.is(k, "using") && w.s.is(k + 2, "=") && w.s.is(k + 4, ";");
        if (alias && w.s.is(k + 3, "float")) w.replace("precision", 1, k + 3, k + 3, "double");
        if (alias && is_narrow(w.s.word(k + 3))) w.replace("precision", 1, k + 3, k + 3, "float");
        if (alias && (w.s.is(k + 3, "short") || w.s.is(k + 3, "char")))
            put(w, kTelling, "overflow", k + 3, k + 3, "int");
        if (alias && w.s.is(k + 3, "int")) put(w, kRare, "overflow", k + 3, k + 3, "long long");
    }
    for (const Body& body : w.s.bodies)
        for (int k = body.open + 1; k < body.close; ++k)
            if (is_narrow(w.s.word(k)) && w.s.at(k + 1).kind == Token::Kind::word) widen(w, body, k);
    for (const Body& body : w.s.bodies)
        for (const Statement& st : body.statements)
            if (w.is_near(st.first) && !is_mark(w.s, st)) widen_whole(w, st);
}

}  // namespace wl::diagnosis::rewrite
