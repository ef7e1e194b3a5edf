// Modelled: accumulators that anything but wgmma reads or writes, registers of a that anything writes. Moves
// are left out, as compilers put them where the source has none, and assemblers take them out again.
#include "instrumentation/emulator/lower/flights.h"

#include "instrumentation/emulator/exec/matrix/warpgroup.h"
#include "instrumentation/ptx/table/destinations.h"

#include <algorithm>

namespace wl::emulator {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using Kind = Operand::Kind;

template <class Visit>
void each_register(const Operand& o, const Visit& visit) {
    const Kind kind = o.kind == Kind::address ? o.base_kind : o.kind;
    if (kind == Kind::reg && o.index >= 0) visit(static_cast<size_t>(o.index));
    for (const Operand& e : o.elements) each_register(e, visit);
}

// By register: the sites of the products that it is an accumulator of, or holds some of a for.
struct Uses {
    std::vector<std::vector<uint32_t>> sums, factors;
};

bool is_product(const Instruction& in) {
    return in.op == Op::wgmma && in.mnemonic.starts_with("wgmma.mma_async") && in.operands.size() > 1;
}

Uses uses_of(const Lowering& l) {
    Uses uses;
    uses.sums.resize(l.function.registers.size()), uses.factors.resize(uses.sums.size());
    for (size_t k = 0; k < l.function.code.size(); ++k) {
        const Instruction& in = l.function.code[k];
        if (!is_product(in)) continue;
        const uint32_t site = l.first_site + static_cast<uint32_t>(k);
        each_register(in.operands[0], [&](size_t r) { uses.sums[r].push_back(site); });
        if (in.operands[1].kind != Kind::vector) continue;
        each_register(in.operands[1], [&](size_t r) { uses.factors[r].push_back(site); });
    }
    return uses;
}

std::vector<uint32_t> products_touched(const Uses& uses, const Instruction& in) {
    std::vector<uint32_t> sites;
    const auto add = [&](const std::vector<uint32_t>& more) {
        sites.insert(sites.end(), more.begin(), more.end());
    };
    const size_t written = ptx::destination_count(in);
    for (size_t k = 0; k < in.operands.size(); ++k)
        each_register(in.operands[k], [&](size_t r) {
            add(uses.sums[r]);
            if (k < written && in.operands[k].kind != Kind::address) add(uses.factors[r]);
        });
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    return sites;
}

}  // namespace

void add_flights(Lowering& l) {
    const auto& code = l.function.code;
    if (std::none_of(code.begin(), code.end(), is_product)) return;
    const Uses uses = uses_of(l);
    for (size_t k = 0; k < code.size(); ++k) {
        const Op op = code[k].op;
        if (op == Op::wgmma || op == Op::mov || op == Op::mark) continue;
        FlightCheck check{{}, products_touched(uses, code[k])};
        if (check.products.empty()) continue;
        const size_t index = l.self.begin + k;
        for (const Variant v : {kChecked, kRecorded})
            check.exec[v] = std::exchange(l.program.code[v][index].exec, look_for_flight);
        l.program.flights.emplace(index, std::move(check));
    }
}

}  // namespace wl::emulator
