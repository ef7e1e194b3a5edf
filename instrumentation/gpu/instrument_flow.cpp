// What is known of the code around a mark before it runs.
#include "instrumentation/gpu/instrument_flow.h"

#include "instrumentation/execution/recording.h"
#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <cstddef>

namespace wl::gpu {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

void for_each_written(const Instruction& in, const auto& call) {
    for (size_t k = 0; k < ptx::destination_count(in); ++k) {
        const Operand& o = in.operands[k];
        if (o.kind == Kind::reg) call(o.index);
        for (const Operand& e : o.elements)
            if (o.kind == Kind::vector && e.kind == Kind::reg) call(e.index);
    }
}

// Neither writes memory nor waits nor goes elsewhere.
bool is_quiet(const Instruction& in) {
    if (in.op == Op::mark) return true;
    if (in.form == nullptr) return false;
    const ptx::Traits& t = traits_of(in);
    return t.control == ptx::Control::none && t.waits == ptx::Waits::nothing && !t.fence &&
        (t.memory == ptx::Memory::none || t.memory == ptx::Memory::load);
}

bool has_label(const Flow& flow, uint32_t at) {
    return std::binary_search(flow.labels.begin(), flow.labels.end(), static_cast<int32_t>(at));
}

bool is_whole_barrier(const Instruction& in) { return execution::waits_for_block(in) && in.guard.reg < 0; }

}  // namespace

Flow flow_of(const ptx::Function& function) {
    Flow out{.function = function};
    for (const auto& [name, at] : function.labels) out.labels.push_back(at);
    std::sort(out.labels.begin(), out.labels.end());
    for (const Instruction& in : function.code) {
        const bool moves = in.op == Op::mov && in.guard.reg < 0 && in.operands.size() == 2 &&
            in.operands[1].kind == Kind::immediate && !in.operands[1].floating;
        for_each_written(in, [&](int32_t index) {
            const auto [known, is_new] = out.constants.try_emplace(index);
            if (is_new && moves)
                known->second = in.operands[1].bits;
            else
                known->second.reset();
        });
    }
    return out;
}

std::optional<uint32_t> count_of(const Flow& flow, const Operand& o) {
    std::optional<uint64_t> bits;
    if (o.kind == Kind::immediate && !o.floating) bits = o.bits;
    if (o.kind == Kind::reg)
        if (const auto found = flow.constants.find(o.index); found != flow.constants.end())
            bits = found->second;
    if (!bits || static_cast<uint32_t>(*bits) > INT32_MAX) return std::nullopt;
    return static_cast<uint32_t>(*bits);
}

bool is_quiet_between(const Flow& flow, uint32_t from, uint32_t to) {
    for (uint32_t at = from + 1; at < to; ++at)
        if (has_label(flow, at) || !is_quiet(flow.function.code[at])) return false;
    return from < to && !has_label(flow, to);
}

bool meets_soon(const Flow& flow, uint32_t at) {
    for (uint32_t next = at + 1; next < flow.function.code.size(); ++next) {
        if (has_label(flow, next)) return false;
        if (is_whole_barrier(flow.function.code[next])) return true;
        if (!is_quiet(flow.function.code[next])) return false;
    }
    return false;
}

std::vector<uint32_t> standing_together(const Flow& flow, uint32_t first) {
    const ptx::Code& code = flow.function.code;
    const auto mark_of = [&](const Instruction& in) -> const ptx::Mark& {
        return flow.function.marks[static_cast<size_t>(in.mark)];
    };
    const ptx::Mark& mark = mark_of(code[first]);
    std::vector<uint32_t> out{first};
    std::vector<int32_t> kept;
    for (uint32_t at = first;;) {
        if (code[at].op == Op::mark && at == out.back() && code[at].operands.back().kind == Kind::reg)
            kept.push_back(code[at].operands.back().index);
        if (++at == code.size() || has_label(flow, at)) return out;
        const Instruction& in = code[at];
        if (in.op == Op::mark) {
            const ptx::Mark& other = mark_of(in);
            if (other.kind != mark.kind || other.name != mark.name || other.dtype != mark.dtype) return out;
            if (in.operands.at(0).bits != code[out.back()].operands.at(0).bits + 1) return out;
            if (in.operands.at(1).bits != code[first].operands.at(1).bits) return out;
            out.push_back(at);
            continue;
        }
        const ptx::Traits& t = traits_of(in);
        if (in.form == nullptr || t.control != ptx::Control::none || t.waits != ptx::Waits::nothing)
            return out;
        bool changes = false;
        for_each_written(in, [&](int32_t index) {
            changes = changes || std::find(kept.begin(), kept.end(), index) != kept.end();
        });
        if (changes) return out;
    }
}

}  // namespace wl::gpu
