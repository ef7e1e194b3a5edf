// The text that holds many changes.
#include "instrumentation/diagnosis/rewrite/switched.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace wl::diagnosis::rewrite {

namespace {

using Kind = Slot::Kind;
constexpr const char* kLocal = "wl_chosen";  // the number, read once a function

// One form of a slot: its number, its text, and the line that a compiler shall name.
struct Form {
    int number = 0;
    size_t line = 0;
    std::string text;
};

// On lines of its own, so that what a compiler says of it names the change.
std::string on_lines(size_t line, const std::string& text, size_t back) {
    return fmt::format("\n#line {}\n{}\n#line {}\n", line, text, back);
}

std::string as_value(const Slot& slot, const std::string& text) {
    switch (slot.kind) {
        case Kind::condition: return "static_cast<bool>(" + text + ")";
        case Kind::step: return "static_cast<void>((" + text + "))";
        default: break;
    }
    return slot.name.empty() ? "(" + text + ")"
                             : fmt::format("static_cast<decltype({})>({})", slot.name, text);
}

bool is_statement(const Slot& slot) { return slot.kind == Kind::statement || slot.kind == Kind::insertion; }

// Halved until one is left: as few comparisons as there can be.
std::string choice(const Slot& slot, const std::vector<Form>& forms, size_t from, size_t end) {
    if (end - from == 1) {
        const Form& f = forms[from];
        const auto back = static_cast<size_t>(slot.last_line);
        if (is_statement(slot)) return "{" + on_lines(f.line, f.text, back) + "}";
        return on_lines(f.line, as_value(slot, f.text), back);
    }
    const size_t middle = from + (end - from) / 2;
    const std::string low = choice(slot, forms, from, middle), high = choice(slot, forms, middle, end);
    if (is_statement(slot))
        return fmt::format("if ({} < {}) {} else {}", kLocal, forms[middle].number, low, high);
    return fmt::format("({} < {} ? {} : {})", kLocal, forms[middle].number, low, high);
}

std::string slot_text(const Slot& slot, const std::string& was, const std::vector<Form>& forms) {
    const std::string chosen =
        fmt::format("static_cast<unsigned>({} - {}) < {}u", kLocal, forms.front().number, forms.size());
    const std::string other = choice(slot, forms, 0, forms.size());
    const std::string here =
        on_lines(static_cast<size_t>(slot.line), was, static_cast<size_t>(slot.last_line));
    if (slot.kind == Kind::insertion) return fmt::format(" if ({}) {{ {} }} ", chosen, other);
    if (slot.kind == Kind::statement)
        return fmt::format("{{ if ({}) {{ {} }} else {{ {} }} }}", chosen, other, here);
    return fmt::format(
        "({} ? {} : {})",
        chosen,
        other,
        on_lines(static_cast<size_t>(slot.line), as_value(slot, was), static_cast<size_t>(slot.last_line))
    );
}

std::string with_edits(const Source& s, const Slot& slot, const Rewrite& r) {
    std::string out = s.text.substr(slot.begin, slot.end - slot.begin);
    for (size_t k = r.edits.size(); k-- > 0;)
        out.replace(r.edits[k].begin - slot.begin, r.edits[k].length, r.edits[k].text);
    return out;
}

}  // namespace

Switched switched(const Source& s, const std::vector<Slot>& slots, const std::vector<Placed>& changes) {
    Switched out;
    out.numbers.resize(changes.size());
    std::vector<std::vector<Form>> forms(slots.size());
    int number = 0;
    for (size_t slot = 0; slot < slots.size(); ++slot)
        for (size_t k = 0; k < changes.size(); ++k) {
            if (changes[k].slot != static_cast<int>(slot)) continue;
            out.numbers[k] = ++number;
            forms[slot].push_back(
                {number, (k + 1) * kSwitchedLines, with_edits(s, slots[slot], *changes[k].change)}
            );
        }
    out.text = s.text;
    std::vector<uint8_t> used(s.bodies.size());
    // From the end to the begin, of what begins at one place the longer first.
    std::vector<std::pair<std::pair<size_t, size_t>, std::function<void()>>> puts;
    for (size_t slot = 0; slot < slots.size(); ++slot) {
        if (forms[slot].empty()) continue;
        const Slot& at = slots[slot];
        used[static_cast<size_t>(at.body)] = 1;
        puts.emplace_back(std::pair(at.begin, at.end), [&out, &at, &forms, &s, slot] {
            const size_t length = at.end - at.begin;
            out.text.replace(at.begin, length, slot_text(at, s.text.substr(at.begin, length), forms[slot]));
        });
    }
    for (size_t b = 0; b < used.size(); ++b)
        if (used[b] != 0) {
            const size_t at = s.at(s.bodies[b].open).end;
            puts.emplace_back(std::pair(at, at), [&out, at] {
                out.text.insert(at, fmt::format(" const int {} = {};", kLocal, kSwitch));
            });
        }
    std::stable_sort(puts.begin(), puts.end(), [](const auto& a, const auto& b) {
        return a.first > b.first;
    });
    for (const auto& [at, put] : puts) put();
    out.text = fmt::format("extern \"C\" __device__ int {};\n#line 1\n", kSwitch) + out.text;
    return out;
}

}  // namespace wl::diagnosis::rewrite
