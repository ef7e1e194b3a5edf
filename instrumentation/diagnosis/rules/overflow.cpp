#include "instrumentation/diagnosis/rules/overflow.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/watch.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/ptx/table/effects.h"

#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace wl::diagnosis {

namespace {

// What an address is computed of, within its function, whatever the order.
struct Slice {
    std::map<uint32_t, ptx::Op> steps;  // mul, mad, shl, add of 32 bits, by index in Function::code
    bool is_signed = false;             // a number of 32 bits is extended by its sign
};

bool is_narrow(const ptx::Instruction& in) {
    using ptx::Type;
    const bool narrow = !in.types.empty() &&
        (in.types[0] == Type::s32 || in.types[0] == Type::u32 || in.types[0] == Type::b32);
    const bool multiplies = in.op == ptx::Op::mul || in.op == ptx::Op::mad;
    return narrow &&
        (multiplies ? in.modifiers.mode == ptx::Mode::lo : in.op == ptx::Op::shl || in.op == ptx::Op::add);
}

bool extends_sign(const ptx::Instruction& in) {
    using ptx::Type;
    const bool multiplies = in.op == ptx::Op::mul || in.op == ptx::Op::mad;
    return (multiplies && in.modifiers.mode == ptx::Mode::wide && in.types[0] == Type::s32) ||
        (in.op == ptx::Op::cvt && in.types.size() == 2 && in.types[1] == Type::s32);
}

void add_registers(const ptx::Operand& operand, std::vector<int32_t>& out) {
    if (operand.kind == ptx::Operand::Kind::reg) out.push_back(operand.index);
    if (operand.kind == ptx::Operand::Kind::address && operand.base_kind == ptx::Operand::Kind::reg)
        out.push_back(operand.index);
}

Slice slice_of(const ptx::Function& function, uint32_t access) {
    Slice out;
    std::vector<int32_t> left;
    for (const ptx::Operand& o : function.code[access].operands)
        if (o.kind == ptx::Operand::Kind::address) add_registers(o, left);
    std::set<int32_t> known(left.begin(), left.end());
    while (!left.empty()) {
        const int32_t wanted = left.back();
        left.pop_back();
        for (uint32_t k = 0; k < function.code.size(); ++k) {
            const ptx::Instruction& in = function.code[k];
            const bool sets = in.form != nullptr && !in.operands.empty() &&
                in.operands.front().kind == ptx::Operand::Kind::reg && in.operands.front().index == wanted;
            if (!sets || ptx::traits_of(in).memory != ptx::Memory::none) continue;
            if (is_narrow(in)) out.steps.emplace(k, in.op);
            out.is_signed = out.is_signed || extends_sign(in);
            std::vector<int32_t> more;
            for (size_t o = 1; o < in.operands.size(); ++o) add_registers(in.operands[o], more);
            for (const int32_t r : more)
                if (known.insert(r).second) left.push_back(r);
        }
    }
    return out;
}

struct Step {
    ptx::Op op = ptx::Op::mul;
    int64_t a = 0, b = 0;
    uint32_t site = 0;
};

int64_t exact(const Step& s) {
    constexpr int64_t kMost = 31;  // bits that a shift of 32 bits may move by
    switch (s.op) {
        case ptx::Op::add: return s.a + s.b;
        case ptx::Op::shl: return s.b >= 0 && s.b <= kMost ? s.a * (int64_t{1} << s.b) : 0;
        default: return s.a * s.b;
    }
}

// Sums of numbers without a sign wrap where one stands for a negative number.
bool overflows(const Step& s, bool is_signed) {
    if (!is_signed && s.op == ptx::Op::add) return false;
    const int64_t most = is_signed ? int64_t{std::numeric_limits<int32_t>::max()}
                                   : int64_t{std::numeric_limits<uint32_t>::max()};
    return exact(s) < std::numeric_limits<int32_t>::min() || exact(s) > most;
}

std::string text_of(const Step& s) {
    const char* const sign = s.op == ptx::Op::add ? "+" : s.op == ptx::Op::shl ? "<<" : "*";
    return fmt::format("{} {} {} = {}", s.a, sign, s.b, exact(s));
}

// The first that overflows in the block.
std::optional<Step> first_overflow(
    const Symptoms& s, int64_t block, const std::map<uint32_t, ptx::Op>& steps, bool is_signed
) {
    constexpr uint64_t kMostInstructions = 2'000'000;  // of warps
    const emulator::Program& program = unedited_program(s.prover);
    std::optional<Step> out;
    Looks looks;
    looks.before = [&](emulator::Warp& w, const emulator::Instr* i, uint32_t site) {
        const auto step = steps.find(site);
        if (step == steps.end()) return true;
        const auto* a = emulator::cells<int32_t>(w, i->r[1]);
        const auto* b = emulator::cells<int32_t>(w, i->r[2]);
        for (uint32_t lanes = w.mask; lanes != 0; lanes &= lanes - 1) {
            const int lane = std::countr_zero(lanes);
            const Step here{step->second, a[lane], b[lane], site};
            if (!overflows(here, is_signed)) continue;
            out = here;
            return false;
        }
        return true;
    };
    const std::vector<int64_t> blocks = {block};
    watch(s.prover, {s.experiment.module, program, 0, blocks, kMostInstructions}, looks);
    return out;
}

}  // namespace

std::string overflow_text(const Symptoms& s, const emulator::Access& access) {
    const auto at = code_place(s.experiment.module, s.entry, access.site);
    if (!at || access.block < 0 || tries_on_device(s.experiment)) return {};
    const Slice slice = slice_of(s.experiment.module.functions[at->function], at->index);
    if (slice.steps.empty()) return {};
    std::map<uint32_t, ptx::Op> steps;  // by site
    for (uint32_t site = 0; site < emulator::sites(unedited_program(s.prover)).size(); ++site)
        if (const auto place = code_place(s.experiment.module, s.entry, site);
            place && place->function == at->function && slice.steps.contains(place->index))
            steps.emplace(site, slice.steps.at(place->index));
    try {
        const std::optional<Step> step = first_overflow(s, access.block, steps, slice.is_signed);
        if (!step) return {};
        return fmt::format(
            " At {} a number of 32 bits overflows: {}, of which {} is left. Compute it in 64 bits.",
            quoted(s.capture, where_of(s, step->site)),
            text_of(*step),
            static_cast<int32_t>(static_cast<uint64_t>(exact(*step)))
        );
    } catch (const Error&) { return {}; } catch (const Unsupported&) {
        return {};
    }
}

}  // namespace wl::diagnosis
