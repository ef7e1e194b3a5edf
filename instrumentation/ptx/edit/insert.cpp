// Putting instructions in and taking them out: everything is read and checked before anything changes.
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/edit/check.h"
#include "instrumentation/ptx/edit/edit.h"
#include "instrumentation/ptx/edit/splice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace wl::ptx {
namespace {

struct Plan {  // of one function
    std::optional<Function> declarations;
    std::vector<const Insertion*> insertions;
    std::vector<uint32_t> removed;
    std::vector<Addition> additions;
};
using Plans = std::map<size_t, Plan>;

std::string misplaced(const Module& m, const Place& p, bool at_end) {
    if (p.function >= m.functions.size() || m.functions[p.function].is_declaration)
        return "no function with a body";
    const size_t size = m.functions[p.function].code.size();
    return p.at < size || (at_end && p.at == size) ? "" : "no instruction of the function";
}

std::string misplaced(const Module& m, const Insertion& i) {
    std::string why = misplaced(m, i.at, !i.after);
    if (!why.empty() || !i.after) return why;
    const Instruction& at = m.functions[i.at.function].code[i.at.at];
    return ends_flow(at) ? "nothing runs after " + at.mnemonic : "";
}

// The .param variables of the function through which a call passes arguments and results.
void add_passed(const Function& f, const Operand& o, std::set<int32_t>& out) {
    const bool symbol = o.kind == Operand::Kind::symbol ||
        (o.kind == Operand::Kind::address && o.base_kind == Operand::Kind::symbol);
    if (symbol && o.local && f.variables[static_cast<size_t>(o.index)].space == Space::param)
        out.insert(o.index);
    for (const Operand& e : o.elements) add_passed(f, e, out);
}

std::set<int32_t> passed(const Function& f, const Instruction& i) {
    std::set<int32_t> out;
    for (const Operand& o : i.operands) add_passed(f, o, out);
    return out;
}

// A call goes with all that writes its arguments and reads its results (ptxas 13.0 crashes on what is left).
std::string leaves_half_a_call(const Function& f, const std::vector<uint32_t>& removed) {
    std::set<int32_t> calls;
    for (const uint32_t at : removed)
        if (f.code[at].op == Op::call) calls.merge(passed(f, f.code[at]));
    if (calls.empty()) return {};
    for (uint32_t i = 0; i < f.code.size(); ++i) {
        if (std::binary_search(removed.begin(), removed.end(), i)) continue;
        for (const int32_t variable : passed(f, f.code[i]))
            if (calls.count(variable) != 0) return "a call goes with what passes its arguments and results";
    }
    return {};
}

// Decoded again; what was built elsewhere has the labels of this function.
std::string check_code(const Module& m, const Function& f, std::vector<Instruction>& code) {
    Decoder decoder{dialect_of(m.version, m.target), {}};
    for (Instruction& i : code) {
        if (i.mark >= 0) continue;
        if (std::string why = settle(decoder, m, f, i); !why.empty()) return why;
    }
    return {};
}

std::string read_function(Module& m, size_t function, Plan& plan) {
    plan.declarations = declarations_of(m, function);
    std::vector<std::string_view> texts;
    for (const Insertion* i : plan.insertions) texts.push_back(i->text);
    std::vector<Snippet> snippets;
    try {
        snippets = parse_snippets(m, *plan.declarations, texts);
    } catch (const Error& error) { return error.what(); }
    for (size_t k = 0; k < snippets.size(); ++k) {
        const Insertion& i = *plan.insertions[k];
        for (const Instruction& built : i.code)
            if (i.text.empty()) snippets[k].code.push_back(built);
        for (const Instruction& built : i.code) {
            if (built.mark >= 0) return "a mark is put in as text";
            if (!passed(*plan.declarations, built).empty())
                return "a call is put in as text, with its arguments";
        }
        if (std::string why = check_code(m, *plan.declarations, snippets[k].code); !why.empty()) return why;
        plan.additions.push_back({i.at.at, i.after, std::move(snippets[k])});
    }
    return {};
}

Edit carry_out(Module& m, Plans& plans) {
    for (auto& [function, plan] : plans)
        if (std::string why = read_function(m, function, plan); !why.empty()) return {std::move(why), {}};
    Edit edit;
    for (auto& [function, plan] : plans) {
        const Places made =
            splice(m, function, std::move(*plan.declarations), std::move(plan.additions), plan.removed);
        edit.made.insert(edit.made.end(), made.begin(), made.end());
    }
    return edit;
}

std::vector<Insertion> at_each(const Places& places, std::string_view text, bool after) {
    std::vector<Insertion> out;
    for (const Place& p : places) out.push_back({p, after, text, {}});
    return out;
}

// With `insertions` in their places.
Edit take_out(Module& m, const Places& places, const std::vector<Insertion>& insertions) {
    Plans plans;
    for (const Place& p : std::set<Place>(places.begin(), places.end())) {
        if (std::string why = misplaced(m, p, false); !why.empty()) return {std::move(why), {}};
        plans[p.function].removed.push_back(p.at);
    }
    for (const auto& [function, plan] : plans)
        if (std::string why = leaves_half_a_call(m.functions[function], plan.removed); !why.empty())
            return {std::move(why), {}};
    for (const Insertion& i : insertions) plans[i.at.function].insertions.push_back(&i);
    return carry_out(m, plans);
}

}  // namespace

Edit insert(Module& m, const std::vector<Insertion>& insertions) {
    Plans plans;
    for (const Insertion& i : insertions) {
        if (std::string why = misplaced(m, i); !why.empty()) return {std::move(why), {}};
        plans[i.at.function].insertions.push_back(&i);
    }
    return carry_out(m, plans);
}

Edit insert_before(Module& m, const Places& places, std::string_view text) {
    return insert(m, at_each(places, text, false));
}

Edit insert_after(Module& m, const Places& places, std::string_view text) {
    return insert(m, at_each(places, text, true));
}

Edit remove(Module& m, const Places& places) { return take_out(m, places, {}); }

Edit replace(Module& m, const Places& places, std::string_view text) {
    return take_out(m, places, at_each(places, text, false));
}

int32_t add_register(Module& m, size_t function, Type type, std::string_view name) {
    Function& f = m.functions[function];
    f.registers.push_back({fresh_name(m, f, name), type});
    return static_cast<int32_t>(f.registers.size()) - 1;
}

}  // namespace wl::ptx
