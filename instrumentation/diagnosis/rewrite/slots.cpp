// Where a text can hold several forms of itself.
#include "instrumentation/diagnosis/rewrite/mutant_schemata.h"
#include "instrumentation/diagnosis/rewrite/writer.h"

#include <algorithm>
#include <array>

namespace wl::diagnosis::rewrite {

namespace {

using Kind = Slot::Kind;

struct Finder {
    const Source& s;
    std::vector<Slot> out = {};
    int body = 0;

    void add(Kind kind, int first, int last, std::string name = {}, bool alone = true) {
        out.push_back(
            {kind,
             s.at(first).begin,
             s.at(last).end,
             s.at(first).line,
             s.at(last).line,
             std::move(name),
             alone,
             body}
        );
    }
    void insertion(size_t at, int line) {
        out.push_back({Kind::insertion, at, at, line, line, {}, true, body});
    }
};

// What a head without braces governs.
bool is_governed(const Source& s, int first) {
    return s.is(first - 1, ")") || s.is(first - 1, "else") || s.is(first - 1, "do");
}

bool has_braces(const Source& s, int first, int last) {
    for (int k = first; k <= last; ++k)
        if (s.is(k, "{")) return true;
    return false;
}

// `a = ...`, `f<4>(...)`, `++x`, `return ...`: no declaration.
bool is_expression(const Source& s, const Statement& st) {
    static constexpr std::array<std::string_view, 4> kOwn = {"return", "break", "continue", "asm"};
    static constexpr std::array<std::string_view, 15> kBehind = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "[", "(", ".", "->"};
    int k = st.first;
    if (!s.is(st.last, ";") || st.body_last >= 0) return false;
    if (std::find(kOwn.begin(), kOwn.end(), s.word(k)) != kOwn.end()) return true;
    if (s.at(k).kind != Token::Kind::word)
        return s.is(k, "++") || s.is(k, "--") || s.is(k, "*") || s.is(k, "(");
    if (s.is(k, "auto") || s.is(k, "decltype")) return false;
    while (s.is(k + 1, "::")) k += 2;
    if (s.is(k + 1, "<"))
        while (k < st.last && !s.is(k + 1, "(")) ++k;
    const std::string_view behind = s.word(k + 1);
    return std::find(kBehind.begin(), kBehind.end(), behind) != kBehind.end() || behind == "++" ||
        behind == "--";
}

// The values of `int a = x, b = y` between two tokens, the type's words before them.
void add_values(Finder& f, int first, int last) {
    for (int k = first; k <= last; ++k)
        for (const std::string_view w : {"constexpr", "static", "__shared__", "extern"})
            if (f.s.is(k, w)) return;
    for (const Variable& v : f.s.variables) {
        const bool whole = f.s.is(v.from, v.name);  // of `w` beside `w.x`
        if (v.from < first || v.from > last || !whole) continue;
        // Of a type that the change may make another.
        const bool open = v.type == "auto" && v.kind == ValueKind::other;
        if (!f.s.is(v.from + 1, "=") || open) continue;
        int end = v.from + 2;
        for (; end <= last; ++end) {
            if (is_opening(f.s.word(end)) && f.s.at(end).match > end) {
                end = f.s.at(end).match;
                continue;
            }
            if (f.s.is(end, ",") || f.s.is(end, ";")) break;
        }
        if (end - 1 < v.from + 2 || has_braces(f.s, v.from + 2, end - 1)) continue;
        f.add(Kind::value, v.from + 2, end - 1, v.type == "auto" ? "" : v.name);
    }
}

void add_head(Finder& f, const Statement& st) {
    const int open = st.first + 1;
    if (!f.s.is(open, "(")) return;  // `if constexpr`
    if (st.word == "if" || st.word == "while") {
        if (!has_braces(f.s, open + 1, st.last - 1)) f.add(Kind::condition, open + 1, st.last - 1);
        return;
    }
    std::array<int, 2> ends = {-1, -1};
    size_t found = 0;
    for (int k = open + 1; k < st.last; ++k) {
        if (is_opening(f.s.word(k)) && f.s.at(k).match > k) k = f.s.at(k).match;
        if (f.s.is(k, ";") && found < 2) ends[found++] = k;
    }
    if (found < 2) return;
    add_values(f, open + 1, ends[0]);
    if (ends[1] > ends[0] + 1) f.add(Kind::condition, ends[0] + 1, ends[1] - 1);
    if (st.last > ends[1] + 1) f.add(Kind::step, ends[1] + 1, st.last - 1);
}

// A pragma stands before its loop, and nothing between.
bool follows_directive(const Source& s, int first) {
    const size_t line = s.text.rfind('\n', s.at(first).begin);
    if (line == s.text.npos || line == 0) return false;
    const size_t before = s.text.rfind('\n', line - 1);
    const std::string_view text = std::string_view(s.text).substr(before + 1, line - before - 1);
    return text.find("#pragma") != text.npos;
}

void add_slots(Finder& f, const Statement& st) {
    const bool governed = is_governed(f.s, st.first);
    if (is_expression(f.s, st)) return f.add(Kind::statement, st.first, st.last, {}, !governed);
    const bool head = st.word == "if" || st.word == "while" || st.word == "for";
    if (!governed && !follows_directive(f.s, st.first))
        f.insertion(f.s.at(st.first).begin, f.s.at(st.first).line);
    const bool empty = head && st.body_last == st.last + 1 && f.s.is(st.body_last, ";");
    if (empty) f.add(Kind::statement, st.body_last, st.body_last, {}, false);
    if (head) return add_head(f, st);
    if (!f.s.is(st.last, ";")) return;
    add_values(f, st.first, st.last);
    if (!governed) f.insertion(f.s.at(st.last).end, f.s.at(st.last).line);
}

bool is_constexpr(const Source& s, const Body& body) {
    for (int k = body.open; k > 0 && !s.is(k, ";") && !s.is(k, "}"); --k)
        if (s.is(k, "constexpr") || s.is(k, "consteval")) return true;
    return false;
}

bool ends_statement(const std::string& text) {
    const size_t last = text.find_last_not_of(" \t\n");
    return last != text.npos && (text[last] == ';' || text[last] == '}');
}

bool is_inside(const Slot& slot, const Rewrite& r) {
    return std::all_of(r.edits.begin(), r.edits.end(), [&](const Edit& e) {
        return e.begin >= slot.begin && e.begin + e.length <= slot.end;
    });
}

}  // namespace

std::vector<Slot> slots_of(const Source& source) {
    Finder f{source};
    for (; f.body < static_cast<int>(source.bodies.size()); ++f.body) {
        const Body& body = source.bodies[static_cast<size_t>(f.body)];
        if (is_constexpr(source, body)) continue;
        for (const Statement& st : body.statements) {
            if (is_mark(source, st)) continue;
            add_slots(f, st);
            const int block =
                st.body_last >= 0 && source.is(st.last + 1, "{") ? source.at(st.last + 1).match : -1;
            if (block > 0) f.insertion(source.at(block - 1).end, source.at(block - 1).line);
        }
        f.insertion(source.at(body.close - 1).end, source.at(body.close - 1).line);
    }
    std::stable_sort(f.out.begin(), f.out.end(), [](const Slot& a, const Slot& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::vector<Slot> out;
    for (Slot& s : f.out) {
        const bool overlaps = !out.empty() && s.begin < out.back().end;
        const bool twice = !out.empty() && s.begin == out.back().begin && s.end == out.back().end;
        if (!overlaps && !twice) out.push_back(std::move(s));
    }
    return out;
}

int slot_of(const std::vector<Slot>& slots, const Rewrite& r) {
    const bool puts_in =
        r.edits.size() == 1 && r.edits.front().length == 0 && ends_statement(r.edits.front().text);
    for (size_t k = 0; k < slots.size(); ++k) {
        const Slot& slot = slots[k];
        if (r.edits.empty() || !is_inside(slot, r)) continue;
        if (slot.kind == Kind::insertion && !puts_in) continue;
        if (puts_in && slot.kind != Kind::insertion && (slot.kind != Kind::statement || !slot.alone))
            continue;
        return static_cast<int>(k);
    }
    return -1;
}

}  // namespace wl::diagnosis::rewrite
