// The text that holds many changes.
#include "instrumentation/diagnosis/rewrite/mutant_schemata.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace wl::diagnosis::rewrite {

namespace {

using Kind = Slot::Kind;
constexpr const char *kLocal = "wl_chosen",
                     *kSecondLocal = "wl_besides";  // the numbers, read once a function

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

// Forms of one slot that one variable chooses from.
struct Forms {
    const char* local = kLocal;
    std::vector<Form> all = {};
};

// Halved until one is left: as few comparisons as there can be.
std::string choice(const Slot& slot, const Forms& of, size_t from, size_t end) {
    const std::vector<Form>& forms = of.all;
    if (end - from == 1) {
        const Form& f = forms[from];
        const auto back = static_cast<size_t>(slot.last_line);
        if (is_statement(slot)) return "{" + on_lines(f.line, f.text, back) + "}";
        return on_lines(f.line, as_value(slot, f.text), back);
    }
    const size_t middle = from + (end - from) / 2;
    const std::string low = choice(slot, of, from, middle), high = choice(slot, of, middle, end);
    const int border = forms[middle].number;
    if (is_statement(slot)) return fmt::format("if ({} < {}) {} else {}", of.local, border, low, high);
    return fmt::format("({} < {} ? {} : {})", of.local, border, low, high);
}

// `here`: what stands there where none of the forms is chosen.
std::string slot_text(const Slot& slot, const std::string& here, const Forms& forms) {
    if (forms.all.empty()) return here;
    const std::string chosen = fmt::format(
        "static_cast<unsigned>({} - {}) < {}u", forms.local, forms.all.front().number, forms.all.size()
    );
    const std::string other = choice(slot, forms, 0, forms.all.size());
    if (slot.kind == Kind::insertion) return fmt::format(" if ({}) {{ {} }} {}", chosen, other, here);
    if (slot.kind == Kind::statement)
        return fmt::format("{{ if ({}) {{ {} }} else {{ {} }} }}", chosen, other, here);
    return fmt::format("({} ? {} : {})", chosen, other, here);
}

// As it stands, on its own line.
std::string text_as_it_is(const Slot& slot, const std::string& was) {
    if (slot.kind == Kind::insertion) return {};
    const std::string text = slot.kind == Kind::statement ? was : as_value(slot, was);
    return on_lines(static_cast<size_t>(slot.line), text, static_cast<size_t>(slot.last_line));
}

std::string with_edits(const Source& s, const Slot& slot, const Rewrite& r) {
    std::string out = s.text.substr(slot.begin, slot.end - slot.begin);
    for (size_t k = r.edits.size(); k-- > 0;)
        out.replace(r.edits[k].begin - slot.begin, r.edits[k].length, r.edits[k].text);
    return out;
}

// By slot; gives each change's number.
std::vector<int> place(
    const Source& s,
    const std::vector<Slot>& slots,
    const std::vector<Placed>& changes,
    size_t lines_from,
    std::vector<Forms>& forms
) {
    std::vector<int> numbers(changes.size());
    int number = 0;
    for (size_t slot = 0; slot < slots.size(); ++slot)
        for (size_t k = 0; k < changes.size(); ++k) {
            if (changes[k].slot != static_cast<int>(slot)) continue;
            numbers[k] = ++number;
            forms[slot].all.push_back(
                {number,
                 (lines_from + k + 1) * kSwitchedLines,
                 with_edits(s, slots[slot], *changes[k].change)}
            );
        }
    return numbers;
}

}  // namespace

MutantSchemata mutant_schemata(
    const Source& s,
    const std::vector<Slot>& slots,
    const std::vector<Placed>& changes,
    const std::vector<Placed>& besides
) {
    MutantSchemata out;
    std::vector<Forms> forms(slots.size()), second(slots.size(), Forms{kSecondLocal});
    out.numbers = place(s, slots, changes, 0, forms);
    out.besides = place(s, slots, besides, changes.size(), second);
    out.text = s.text;
    std::vector<uint8_t> used(s.bodies.size());
    // From the end to the begin, of what begins at one place the longer first.
    std::vector<std::pair<std::pair<size_t, size_t>, std::function<void()>>> puts;
    for (size_t slot = 0; slot < slots.size(); ++slot) {
        if (forms[slot].all.empty() && second[slot].all.empty()) continue;
        const Slot& at = slots[slot];
        used[static_cast<size_t>(at.body)] = 1;
        puts.emplace_back(std::pair(at.begin, at.end), [&, slot] {
            const size_t length = at.end - at.begin;
            const std::string here = text_as_it_is(at, s.text.substr(at.begin, length));
            const std::string inner = slot_text(at, here, second[slot]);
            out.text.replace(at.begin, length, slot_text(at, inner, forms[slot]));
        });
    }
    std::string locals = fmt::format(" const int {} = {};", kLocal, kSwitch);
    std::string variables = fmt::format("extern \"C\" __device__ int {};\n", kSwitch);
    if (!besides.empty()) {
        locals += fmt::format(" const int {} = {};", kSecondLocal, kSecondSwitch);
        variables += fmt::format("extern \"C\" __device__ int {};\n", kSecondSwitch);
    }
    for (size_t b = 0; b < used.size(); ++b)
        if (used[b] != 0) {
            const size_t at = s.at(s.bodies[b].open).end;
            puts.emplace_back(std::pair(at, at), [&out, &locals, at] { out.text.insert(at, locals); });
        }
    std::stable_sort(puts.begin(), puts.end(), [](const auto& a, const auto& b) {
        return a.first > b.first;
    });
    for (const auto& [at, put] : puts) put();
    out.text = variables + "#line 1\n" + out.text;
    return out;
}

}  // namespace wl::diagnosis::rewrite
