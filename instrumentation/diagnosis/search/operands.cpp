// Other variables, axes and arrays.
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/search/ptx_mutator.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/special_register.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace wl::diagnosis {

namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
using Kind = Operand::Kind;

// threadIdx, blockDim, blockIdx, gridDim: three axes each, in the order of SpecialRegister.
constexpr int32_t kLastAxis = static_cast<int32_t>(ptx::SpecialRegister::nctaid_z);
bool is_axis(const Operand& o) { return o.kind == Kind::special && o.index <= kLastAxis; }

// Along an axis of extent 1 every index is 0, which nobody means.
bool is_flat(const InPlay& in_play, int32_t axis) {
    const Dim3& d = axis < 2 * 3 ? in_play.block : in_play.grid;
    return std::array{d.x, d.y, d.z}[static_cast<size_t>(axis % 3)] == 1;
}

bool takes_operands(const Instruction& i) {
    return i.op != Op::bra && i.op != Op::call && i.op != Op::cvta && i.op != Op::mark && i.op != Op::bar;
}

// Instructions of one line of the user's, reached through the same calls.
std::map<int32_t, ptx::Places> lines_of(const PtxMutator& m) {
    std::map<int32_t, ptx::Places> out;
    for (uint32_t at = 0; at < m.function().code.size(); ++at) {
        const int32_t l = user_location(m.module, m.function().code[at].location);
        // Without lines each instruction is one.
        const bool known = l >= 0 || m.module.locations.empty();
        if (known) out[l >= 0 ? l : -1 - static_cast<int32_t>(at)].push_back({m.at.function, at});
    }
    return out;
}

// Wherever an operand of the line is a, it becomes b, and the other way round.
ptx::Edit exchange(ptx::Module& m, const ptx::Places& line, const Operand& a, const Operand& b) {
    ptx::Edit all;
    for (const ptx::Place& p : line) {
        const Instruction& i = m.functions[p.function].code[p.at];
        for (size_t k = ptx::destination_count(i); k < i.operands.size(); ++k) {
            const bool is_a = i.operands[k] == a, is_b = i.operands[k] == b;
            if (!is_a && !is_b) continue;
            if (ptx::Edit e = ptx::set_operand(m, {p}, k, is_a ? b : a); !e) return e;
        }
    }
    return all;
}

void exchange_axes(PtxMutator& m, const ptx::Places& line) {
    for (int32_t kind = 0; kind <= kLastAxis; kind += 3) {
        const auto has = [&](int32_t axis) {
            return std::any_of(line.begin(), line.end(), [&](const ptx::Place& p) {
                const auto& all = m.function().code[p.at].operands;
                return std::any_of(all.begin(), all.end(), [&](const Operand& o) {
                    return is_axis(o) && o.index == kind + axis;
                });
            });
        };
        if (!has(0) || !has(1)) continue;
        Operand x, y;
        x.kind = y.kind = Kind::special, x.index = kind, y.index = kind + 1;
        m.at = line.front();
        m.add(
            {"wrong_index",
             2,
             fmt::format("{}, {}", m.text(x), m.text(y)),
             fmt::format("{}, {}", m.text(y), m.text(x)),
             [line, x, y](ptx::Module& changed) { return exchange(changed, line, x, y); }}
        );
    }
}

// Variables of one type that the line reads.
void exchange_variables(PtxMutator& m, const ptx::Places& line) {
    struct Read {
        Operand operand;
        Type type;
        std::string name;
    };
    std::vector<Read> reads;
    for (const ptx::Place& p : line) {
        m.at = p;
        const Instruction& i = m.instruction();
        if (!takes_operands(i)) continue;
        for (size_t k = ptx::destination_count(i); k < i.operands.size(); ++k) {
            const Operand& o = i.operands[k];
            if (o.kind != Kind::reg) continue;
            std::string name = m.text(o);
            const bool known =
                std::any_of(reads.begin(), reads.end(), [&](const Read& r) { return r.operand == o; });
            if (!known && !name.starts_with('%')) reads.push_back({o, m.type_of(o), std::move(name)});
        }
    }
    constexpr size_t kMost = 8;
    for (size_t a = 0; a < std::min(reads.size(), kMost); ++a)
        for (size_t b = a + 1; b < std::min(reads.size(), kMost); ++b)
            if (reads[a].type == reads[b].type && reads[a].type != Type::pred)
                m.add(
                    {"wrong_index",
                     2,
                     fmt::format("{}, {}", reads[a].name, reads[b].name),
                     fmt::format("{}, {}", reads[b].name, reads[a].name),
                     [line, x = reads[a].operand, y = reads[b].operand](ptx::Module& changed) {
                         return exchange(changed, line, x, y);
                     }}
                );
}

}  // namespace

void add_operands(PtxMutator& m) {
    const Instruction& i = m.instruction();
    if (i.op == Op::mov || !takes_operands(i)) return;
    for (size_t k = ptx::destination_count(i); k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::reg) continue;
        const Type type = m.type_of(o);
        if (type == Type::pred) continue;
        for (const Named& n : at_hand(m.module, m.variables, m.at, type)) {
            if (n.reg == o.index) continue;
            Operand other = o;
            other.index = n.reg;
            m.add_operand(
                {ptx::bytes_of(type) == 8 ? "wrong_operand" : "wrong_index", 2, {}, n.name, {}}, k, other
            );
        }
    }
}

// threadIdx.x for threadIdx.y, blockIdx.y, ...
void add_axes(PtxMutator& m) {
    const Instruction& i = m.instruction();
    for (size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (!is_axis(o)) continue;
        for (int32_t other = 0; other <= kLastAxis; ++other) {
            const bool same_axis = other % 3 == o.index % 3, same_kind = other / 3 == o.index / 3;
            if (other == o.index || !(same_axis || same_kind)) continue;
            Operand value = o;
            value.index = other;
            m.add_operand(
                {"wrong_index",
                 is_flat(m.in_play, other) ? 3
                     : same_kind           ? 1
                                           : 2,
                 {},
                 m.text(value),
                 {}},
                k,
                value
            );
        }
    }
}

// Another array of the same space.
void add_symbols(PtxMutator& m) {
    const Instruction& i = m.instruction();
    for (size_t k = 1; k < i.operands.size(); ++k) {
        const Operand& o = i.operands[k];
        if (o.kind != Kind::symbol) continue;
        const std::vector<ptx::Variable>& all = o.local ? m.function().variables : m.module.variables;
        const ptx::Space space = all[static_cast<size_t>(o.index)].space;
        for (size_t v = 0; v < all.size() && space != ptx::Space::param; ++v) {
            if (static_cast<int32_t>(v) == o.index || all[v].space != space) continue;
            Operand value = o;
            value.index = static_cast<int32_t>(v);
            m.add_operand({"wrong_operand", 2, {}, m.text(value), {}}, k, value);
        }
    }
}

void add_exchanges(PtxMutator& m) {
    for (const auto& [location, line] : lines_of(m)) {
        if (!is_users(m.module, location)) continue;
        m.location = std::max(location, -1);
        m.at = line.front();
        exchange_axes(m, line);
        exchange_variables(m, line);
    }
}

}  // namespace wl::diagnosis
