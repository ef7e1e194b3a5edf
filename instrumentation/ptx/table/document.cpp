// Markdown from the table; a test keeps docs/ptx.md equal to it.
#include "instrumentation/ptx/table/document.h"

#include "instrumentation/ptx/table/special_registers.h"

#include <algorithm>

namespace wl::ptx {
namespace {

constexpr std::string_view kIntroduction =
    "# PTX instructions\n\n"
    "Every form of the PTX ISA 9.0 that WarpLens knows, by chapter. Written by `ptx_docs` from the table in\n"
    "`instrumentation/ptx/table/forms_*.cpp`, which the decoder reads too: a mnemonic that no row allows is "
    "answered by\n"
    "`unsupported`, with its line.\n\n"
    "Types and modifiers stand in groups: one of `a/b` must appear, one of `[a/b]` may. Operands: `[a]` is "
    "an address,\n"
    "`{a}` a register or a vector of them, `|p` the second half of a `d|p` pair, `(a)` may be left out. "
    "*Exact* results\n"
    "equal the hardware's bit for bit, *bounded* ones lie within the ISA's error.\n\n"
    "*Proof* is what `conformance_test` finds: micro-kernels of every form, run on the emulator and on an "
    "H200, give\n"
    "equal bits, or results that both lie within the bound of the exact value. What is *not compared* has no "
    "answer of a\n"
    "GPU, for the reason given; what is *not executed* is answered by `unsupported`, too.\n";

std::string alternatives(std::string_view group, std::string_view prefix) {
    std::string text;
    for (size_t begin = 0; begin <= group.size();) {
        const size_t end = std::min(group.find('|', begin), group.size());
        text +=
            (text.empty() ? "" : "/") + std::string(prefix) + std::string(group.substr(begin, end - begin));
        begin = end + 1;
    }
    return text;
}

// "rn|rz ftz?" as `.rn/.rz [.ftz]`
std::string groups(std::string_view column, std::string_view prefix) {
    std::string text;
    for (size_t begin = 0; begin < column.size();) {
        const size_t end = std::min(column.find(' ', begin), column.size());
        std::string_view group = column.substr(begin, end - begin);
        begin = end + 1;
        if (group.empty()) continue;
        const bool optional = group.ends_with('?');
        if (optional) group.remove_suffix(1);
        const std::string inner = group == "*" ? "any" : alternatives(group, prefix);
        text += (text.empty() ? "" : " ") + (optional ? "[" + inner + "]" : inner);
    }
    return text;
}

// "d |p? [a] c?" as `d (|p) [a] (c)`, with the bars escaped for a table
std::string operands(std::string_view column) {
    std::string text;
    for (size_t begin = 0; begin < column.size();) {
        const size_t end = std::min(column.find(' ', begin), column.size());
        std::string role(column.substr(begin, end - begin));
        begin = end + 1;
        if (role == "*") role = "any";
        if (role.starts_with('|')) role.insert(0, "\\");
        const bool optional = role.ends_with('?');
        if (optional) role.pop_back();
        text.append(text.empty() ? "" : " ").append(optional ? "(" + role + ")" : role);
    }
    return text;
}

// A bar inside a cell would end it.
std::string cell(std::string_view text) {
    std::string escaped;
    for (char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
    return escaped;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string row(const Form& f, const std::string& proof) {
    return "| `" + std::string(f.name) + "` | " + code(groups(f.types, ".")) + " | " +
        code(groups(f.modifiers, ".")) + " | " + code(operands(f.operands)) + " | " + std::string(f.section) +
        " | " + (f.exactness == Exactness::exact ? "exact" : "bounded") + " | " + cell(proof) + " | " +
        cell(f.semantics) + " | " + cell(f.not_modelled) + " |\n";
}

// "`%tid.x`, `%tid.y`, `%tid.z`"
std::string names(const SpecialRow& row) {
    std::string text;
    for (auto r = static_cast<int>(row.first); r <= static_cast<int>(row.last); ++r)
        text += std::string(text.empty() ? "" : ", ") + "`%" +
            std::string(name_of(static_cast<SpecialRegister>(r))) + "`";
    return text;
}

std::string special_markdown() {
    std::string text =
        "\n## Special registers\n\nChapter 10 of the ISA. What each holds in a run; the device is an "
        "H200.\n\n"
        "| register | holds | not modelled |\n| --- | --- | --- |\n";
    for (const SpecialRow& row : special_rows())
        text += "| " + names(row) + " | " + cell(row.holds) + " | " + cell(row.not_modelled) + " |\n";
    return text;
}

constexpr std::string_view kOlder =
    "\n## Older PTX\n\n"
    "A module of an older version or device is read as ptxas 13.0 compiles it for sm_75 "
    "(`dialect.h`, `emulator_dialect_test`):\n\n"
    "| module | written | read as |\n| --- | --- | --- |\n"
    "| `.version` up to 1.3 | `div`, `rcp`, `sqrt`, `rsqrt`, `sin`, `cos`, `lg2`, `ex2` of `.f32` without a "
    "way | `.approx.ftz` |\n"
    "| `.version` up to 1.3 | `div`, `rcp`, `sqrt`, `mad` of `.f64` without a rounding; `rsqrt.f64` | `.rn`; "
    "`.approx` |\n"
    "| `.version` up to 1.3 | `.param` inside an entry | the entry's parameters |\n"
    "| `.target sm_10` to `sm_13` | arithmetic, comparison and `cvt` of `.f32` | with `.ftz`; up to 1.4 not "
    "`cvt` from or to 64 bits |\n"
    "| `.target sm_10` to `sm_13` | `mad.f32` | `fma.rn.ftz.f32`, not the truncated product of those devices "
    "|\n"
    "| `.target sm_20` and later, `.version` up to 3.1 | `mad.f32` without a rounding | `fma.rn.f32` |\n"
    "| `.target`, `map_f64_to_f32` | `.f64` | double precision all the same |\n";

}  // namespace

std::string forms_markdown(const std::function<std::string(const Form&)>& proof) {
    std::string text(kIntroduction);
    for (const Family& family : families()) {
        text += "\n## " + std::string(family.title) + "\n\n";
        text +=
            "| name | types | modifiers | operands | section | result | proof | meaning | not modelled |\n";
        text += "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
        for (const Form& form : family.forms) text += row(form, proof(form));
    }
    return text + special_markdown() + std::string(kOlder);
}

}  // namespace wl::ptx
