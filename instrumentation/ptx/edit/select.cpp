// Choosing instructions by function, line, chain of calls and what they do.
#include "instrumentation/ptx/edit/select.h"

#include <algorithm>

namespace wl::ptx {
namespace {

using Kind = Operand::Kind;

struct Calls {
    std::vector<size_t> named;  // by a call, or in a list of targets
    bool unknown = false;       // a call through a prototype alone
    std::vector<size_t> taken;  // addresses taken
};

void add_taken(const Operand& o, std::vector<size_t>& out) {
    if (o.kind == Kind::function) out.push_back(static_cast<size_t>(o.index));
    for (const Operand& e : o.elements) add_taken(e, out);
}

Calls calls_of(const Function& f) {
    Calls calls;
    for (const std::vector<int32_t>& list : f.call_targets)
        for (const int32_t target : list) calls.named.push_back(static_cast<size_t>(target));
    for (const Instruction& i : f.code) {
        const bool direct = i.op == Op::call && i.operands[1].kind == Kind::function;
        if (direct) calls.named.push_back(static_cast<size_t>(i.operands[1].index));
        for (size_t k = 0; k < i.operands.size(); ++k)
            if (!direct || k != 1) add_taken(i.operands[k], calls.taken);
        calls.unknown = calls.unknown || (i.op == Op::call && i.operands.back().kind == Kind::prototype);
    }
    return calls;
}

// Functions whose address is stored or computed with, anywhere in the module.
std::vector<size_t> all_taken(const Module& module) {
    std::vector<size_t> out;
    for (const Function& f : module.functions) {
        const std::vector<size_t> taken = calls_of(f).taken;
        out.insert(out.end(), taken.begin(), taken.end());
    }
    for (const Variable& v : module.variables)
        for (const Initialiser& i : v.init)
            if (i.is_function) out.push_back(static_cast<size_t>(i.address_of));
    return out;
}

bool same_place(const Location& a, const Location& b) { return a.file == b.file && a.line == b.line; }

}  // namespace

size_t index_of(const Module& module, const Function& function) {
    return static_cast<size_t>(&function - module.functions.data());
}

std::vector<size_t> reached_from(const Module& module, size_t function) {
    std::vector<size_t> open{function}, out;
    bool had_unknown = false;
    while (!open.empty()) {
        size_t next = open.back();
        open.pop_back();
        if (module.functions[next].alias_of >= 0) next = static_cast<size_t>(module.functions[next].alias_of);
        if (std::find(out.begin(), out.end(), next) != out.end()) continue;
        out.push_back(next);
        const Calls calls = calls_of(module.functions[next]);
        open.insert(open.end(), calls.named.begin(), calls.named.end());
        if (!calls.unknown || had_unknown) continue;
        had_unknown = true;
        const std::vector<size_t> taken = all_taken(module);
        open.insert(open.end(), taken.begin(), taken.end());
    }
    std::sort(out.begin() + 1, out.end());
    return out;
}

Places select(
    const Module& module,
    const std::vector<size_t>& functions,
    const std::function<bool(const Instruction&)>& is_wanted
) {
    Places out;
    for (const size_t f : functions) {
        const Code& code = module.functions[f].code;
        for (uint32_t i = 0; i < code.size(); ++i)
            if (is_wanted(code[i])) out.push_back({f, i});
    }
    return out;
}

bool same_line(const Module& m, int32_t a, int32_t b) {
    while (a >= 0 && b >= 0) {
        const Location& x = m.locations[static_cast<size_t>(a)];
        const Location& y = m.locations[static_cast<size_t>(b)];
        if (!same_place(x, y)) return false;
        a = x.inlined_at, b = y.inlined_at;
    }
    return a < 0 && b < 0;
}

bool lies_at(const Module& m, int32_t location, std::string_view file, int line) {
    for (int32_t i = location; i >= 0; i = m.locations[static_cast<size_t>(i)].inlined_at) {
        const Location& l = m.locations[static_cast<size_t>(i)];
        if (l.line == line && m.files[static_cast<size_t>(l.file)] == file) return true;
    }
    return false;
}

bool inlined_through(const Module& m, int32_t location, int32_t call_site) {
    for (int32_t i = location; i >= 0; i = m.locations[static_cast<size_t>(i)].inlined_at)
        if (same_line(m, i, call_site)) return true;
    return false;
}

std::vector<Places> group_by_line(const Module& m, const Places& places) {
    const auto location = [&m](const Place& p) { return m.functions[p.function].code[p.at].location; };
    std::vector<Places> out;
    for (const Place& p : places) {
        const auto known = std::find_if(out.begin(), out.end(), [&](const Places& g) {
            return g.front().function == p.function && same_line(m, location(g.front()), location(p));
        });
        if (known == out.end())
            out.push_back({p});
        else
            known->push_back(p);
    }
    return out;
}

std::vector<Group> group_by_line(
    const Module& m, const Function& f, const std::vector<uint32_t>& instructions
) {
    std::vector<Group> out;
    for (const Places& places : group_by_line(m, places_in(index_of(m, f), instructions))) {
        Group& group = out.emplace_back(Group{f.code[places.front().at].location, {}});
        for (const Place& p : places) group.members.push_back(p.at);
    }
    return out;
}

Places places_in(size_t function, const std::vector<uint32_t>& instructions) {
    Places out;
    for (const uint32_t at : instructions) out.push_back({function, at});
    return out;
}

}  // namespace wl::ptx
