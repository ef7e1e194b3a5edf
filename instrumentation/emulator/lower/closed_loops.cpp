// A loop is closed when what decides whether it goes on is made, while it runs, of nothing but registers of
// the same lane. Followed is whatever any path may carry, in any order of instructions; parameters and
// constants stay what they are. Not followed: values that come from memory, from other lanes, calls or
// clocks: a loop that hangs on one of these is not closed.
#include "instrumentation/emulator/lower/closed_loops.h"

#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/ptx/table/operand_registers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

namespace wl::emulator {
namespace {

using ptx::Control;
using ptx::Function;
using ptx::Instruction;
using ptx::Memory;
using ptx::Space;

struct Range {  // of instructions; the last is a jump back to the first
    size_t begin = 0, end = 0;
};

// Every jump backwards closes one, all that go to the same place the same; and one that comes into the middle
// of a loop from behind it is within that loop. So a lane that leaves a loop and comes again takes a jump to
// an instruction outside.
std::vector<Range> loops_of(const Function& f) {
    std::map<size_t, size_t> last;  // by first
    for (size_t k = 0; k < f.code.size(); ++k) {
        if (!ptx::ends_block(f.code[k])) continue;
        for (const int32_t target : targets_of(f, f.code[k]))
            if (static_cast<size_t>(target) <= k) last[static_cast<size_t>(target)] = k;
    }
    std::vector<Range> out;
    for (const auto& [begin, end] : last) {
        Range loop{begin, end};
        for (auto later = last.upper_bound(begin); later != last.end() && later->first <= loop.end; ++later)
            loop.end = std::max(loop.end, later->second);
        out.push_back(loop);
    }
    return out;
}

bool is_kept_memory(const Instruction& in) {  // nobody writes it while the kernel runs
    const Space space = in.modifiers.space;
    return traits_of(in).memory == Memory::load && (space == Space::param || space == Space::constant);
}

// The same lane's registers alone make the results, and neither the carry flag nor who runs beside it.
bool is_own(const Instruction& in) {
    constexpr ptx::Op kOther[] = {ptx::Op::addc, ptx::Op::subc, ptx::Op::madc, ptx::Op::activemask};
    if (std::find(std::begin(kOther), std::end(kOther), in.op) != std::end(kOther)) return false;
    const ptx::Traits& t = traits_of(in);
    const bool reads_memory = t.memory != Memory::none && !is_kept_memory(in);
    if (reads_memory || t.control != Control::none || t.waits != ptx::Waits::nothing) return false;
    if (is_collective(t.flow) || t.flow == ptx::Flow::reduce) return false;
    return std::all_of(in.operands.begin(), in.operands.end(), [](const ptx::Operand& o) {
        return o.kind != ptx::Operand::Kind::special || has_value(static_cast<ptx::SpecialRegister>(o.index));
    });
}

struct Deciding {
    const Function& f;
    std::vector<char> is_in;  // by register
    std::vector<size_t> registers;
    void add(size_t reg) {
        if (is_in[reg] == 0) registers.push_back(reg);
        is_in[reg] = 1;
    }
    void add_read(const Instruction& in) {
        if (in.guard.reg >= 0) add(static_cast<size_t>(in.guard.reg));
        for (size_t o = ptx::destination_count(in); o < in.operands.size(); ++o)
            each_register(in.operands[o], [&](size_t reg) { add(reg); });
    }
};

bool writes_any(const Deciding& d, const Instruction& in) {
    bool any = false;
    for (size_t o = 0; o < ptx::destination_count(in); ++o)
        each_register(in.operands[o], [&](size_t reg) { any = any || d.is_in[reg] != 0; });
    return any;
}

// The registers that decide where lanes go in the loop, which may be none; nothing: it is not closed.
std::optional<std::vector<size_t>> deciding(const Function& f, Range loop) {
    Deciding d{f, std::vector<char>(f.registers.size(), 0), {}};
    for (size_t k = loop.begin; k <= loop.end; ++k) {
        const Control control = traits_of(f.code[k]).control;
        if (control == Control::call) return std::nullopt;
        if (control != Control::none) d.add_read(f.code[k]);
    }
    std::vector<char> seen(loop.end + 1 - loop.begin, 0);
    for (bool grows = true; grows;) {
        grows = false;
        for (size_t k = loop.begin; k <= loop.end; ++k) {
            if (seen[k - loop.begin] != 0 || !writes_any(d, f.code[k])) continue;
            if (!is_own(f.code[k])) return std::nullopt;
            d.add_read(f.code[k]);
            seen[k - loop.begin] = 1, grows = true;
        }
    }
    return d.registers;
}

}  // namespace

void add_closed_loops(Lowering& l) {
    const Function& f = l.function;
    for (const Range& loop : loops_of(f)) {
        const std::optional<std::vector<size_t>> registers = deciding(f, loop);
        if (!registers) continue;
        ClosedLoop out{
            l.self.begin + static_cast<uint32_t>(loop.begin),
            l.self.begin + static_cast<uint32_t>(loop.end),
            {}};
        for (const size_t reg : *registers) {
            const ptx::Type type = f.registers[reg].type;
            const bool predicate = type == ptx::Type::pred;
            out.registers.push_back({l.register_slots[reg], predicate ? 0 : std::max(4u, ptx::bytes_of(type))}
            );
        }
        l.program.closed_loops.push_back(std::move(out));
    }
}

}  // namespace wl::emulator
