// Models call and ret: PTX ISA 9.7.12.5-9.7.12.6, direct and by address, recursion as deep as the stack
// allows, lanes that go to different functions. Not modelled: .uni and .noreturn as promises.
#include "instrumentation/emulator/exec/builtins.h"
#include "instrumentation/emulator/exec/memory/passing.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/schedule.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/emulator/schedule/frames.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using Kind = ptx::Operand::Kind;
using In = ParamPlace::In;

const CallSite& call_site(const Warp& w, const Instr* i) {
    return w.block->context.program->calls[static_cast<size_t>(i->target)];
}

// ---- entering and leaving

// The running split goes on at `next` in another frame.
const Instr* go_on(Warp& w, Frame& frame, const Instr* next) {
    running(w).frame = &frame;
    become(w, running(w));
    w.segment = next;
    return w.split_count > 1 || w.clock >= w.slice_end ? yield(w, next) : next;
}

const Instr* report_overflow(Warp& w, const Instr* i, const FunctionCode& function) {
    Incident incident;
    incident.kind = Incident::Kind::stack_overflow;
    incident.first = witness(w, i, w.mask);
    incident.first.memory = "local";
    incident.detail = fmt::format(
        "{} at depth {} needs more than the {} bytes of stack that a thread has",
        function.name,
        w.frame->depth + 1,
        stack_limit(w)
    );
    return give_up(w, i, std::move(incident));
}

const Instr* enter(Warp& w, const Instr* i, const FunctionCode& function) {
    const CallSite& site = call_site(w, i);
    Frame& caller = *w.frame;
    Frame& frame = enter_frame(w, i, function);
    if (!push_locals(w, frame, w.mask)) return report_overflow(w, i, function);
    for (size_t k = 0; k < site.arguments.size(); ++k)
        pass(w, {caller, site.arguments[k]}, {frame, function.params[k]}, w.mask);
    close_segment(w, i + 1);
    return go_on(w, frame, w.block->context.program->code[w.block->now.variant].data() + function.begin);
}

// The guard's other lanes go on in the function.
const Instr* leave(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    if (lanes == 0) return i + 1;
    close_segment(w, i + 1);
    part(w, lanes, i + 1);
    Frame& frame = *w.frame;
    Frame& caller = *frame.parent;
    const Instr* call = frame.call;
    const CallSite& site = call_site(w, call);
    for (size_t k = 0; k < site.results.size(); ++k)
        pass(w, {frame, frame.function->results[k]}, {caller, site.results[k]}, lanes);
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<size_t>(first_lane(rest));
        w.stack.top[lane] = frame.below[lane];
    }
    leave_frame(w, frame, lanes);
    return go_on(w, caller, call + 1);
}

// ---- calls

// Runs in the caller's frame; lanes that it parted from already have their place.
const Instr* invoke(Warp& w, const Instr* i, const FunctionCode& function) {
    if (function.builtin == nullptr) return enter(w, i, function);
    const Instr* next = function.builtin(w, i);
    return next != nullptr && w.split_count > 1 ? yield(w, next) : next;
}

void part_guarded(Warp& w, const Instr* i, uint32_t lanes) {
    if (lanes == w.mask) return;
    close_segment(w, i);
    part(w, lanes, i + 1);
}

const Instr* call_direct(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    if (lanes == 0) return i + 1;
    part_guarded(w, i, lanes);
    return invoke(w, i, w.block->context.program->functions[static_cast<size_t>(call_site(w, i).function)]);
}

// The function at an address, as an index in Program::functions; -1: none.
int function_at(const Program& program, uint64_t address) {
    const std::vector<int>& functions = program.listing.functions;
    const auto found = std::find_if(functions.begin(), functions.end(), [address](int function) {
        return function_address(function) == address;
    });
    return found == functions.end() ? -1 : static_cast<int>(found - functions.begin());
}

bool same_bytes(const std::vector<ParamPlace>& given, const std::vector<ParamPlace>& wanted) {
    return std::equal(
        given.begin(),
        given.end(),
        wanted.begin(),
        wanted.end(),
        [](const auto& a, const auto& b) { return a.in != In::rows || a.bytes == b.bytes; }
    );
}

// Why a call by address cannot go to a function; empty: it can.
std::string objection(const Program& program, const CallSite& site, int index, uint64_t address) {
    if (index < 0) return fmt::format("the called address {:#x} is no function's", address);
    const FunctionCode& f = program.functions[static_cast<size_t>(index)];
    if (!f.is_defined && f.builtin == nullptr)
        return fmt::format("the called function {} is declared and defined nowhere", f.name);
    const bool listed = site.allowed.empty() ||
        std::find(site.allowed.begin(), site.allowed.end(), index) != site.allowed.end();
    if (!listed) return fmt::format("the called function {} is not among the call's .calltargets", f.name);
    if (!same_bytes(site.arguments, f.params) || !same_bytes(site.results, f.results))
        return fmt::format("the called function {} has other parameters than the call passes", f.name);
    return {};
}

// Lanes of one target go together; the others come here again.
const Instr* call_indirect(Warp& w, const Instr* i) {
    const uint32_t lanes = guard_lanes(w, i);
    if (lanes == 0) return i + 1;
    part_guarded(w, i, lanes);
    const Program& program = *w.block->context.program;
    const CallSite& site = call_site(w, i);
    const uint64_t* targets = cells<uint64_t>(w, site.target);
    const uint64_t target = targets[first_lane(w.mask)];
    const uint32_t same = w.mask & mask_of([=](int lane) { return targets[lane] == target; });
    if (same != w.mask) {
        close_segment(w, i);
        part(w, same, i);
    }
    const int index = function_at(program, target);
    std::string why = objection(program, site, index, target);
    if (why.empty()) return invoke(w, i, program.functions[static_cast<size_t>(index)]);
    Incident incident;
    incident.kind = Incident::Kind::undefined_target;
    incident.first = witness(w, i, same);
    incident.first.value = target;
    incident.detail = std::move(why);
    return give_up(w, i, std::move(incident));
}

// ---- lowering

// Where an operand of a call lies in the caller.
ParamPlace passed_place(Lowering& l, const ptx::Operand& o, bool is_result) {
    const auto in_table = [&](const std::vector<Placed>& places,
                              const std::vector<ptx::Variable>& variables) {
        const auto index = static_cast<size_t>(o.index);
        if (!places[index].rows) l.failed = true;
        return ParamPlace{
            In::rows,
            static_cast<uint32_t>(places[index].offset),
            static_cast<uint32_t>(variables[index].bytes)};
    };
    if (o.kind == Kind::symbol && o.local &&
        l.function.variables[static_cast<size_t>(o.index)].space == ptx::Space::param)
        return in_table(l.function_variables, l.function.variables);
    if (o.kind == Kind::param && !l.function.is_entry) return in_table(l.params, l.function.params);
    if (o.kind == Kind::result) return in_table(l.results, l.function.results);
    if (is_result && o.kind == Kind::sink) return {};
    const bool is_register = o.kind == Kind::reg;
    if (is_register && type_of_register(l, o) == ptx::Type::pred) l.failed = true;
    const bool wide = is_register ? is_wide(l, o) : o.kind != Kind::special;
    const uint32_t slot =
        is_result ? destination(l, o) : source(l, o, wide ? ptx::Type::b64 : ptx::Type::b32);
    const uint32_t bytes = is_register ? ptx::bytes_of(type_of_register(l, o)) : wide ? 8 : 4;
    return {wide ? In::wide : In::cell, slot, bytes};
}

// The callee of a direct call; nullptr: it is defined nowhere.
const FunctionCode* callee_of(const Lowering& l, CallSite& site) {
    site.function = function_index(l, l.in->operands[1].index);
    if (site.function < 0) return nullptr;
    const FunctionCode& f = l.program.functions[static_cast<size_t>(site.function)];
    return f.is_defined || f.builtin != nullptr ? &f : nullptr;
}

Selected lower_call_site(Lowering& l) {
    const auto& in = *l.in;
    if (in.operands.size() < 3) return {};
    CallSite site;
    for (const auto& o : in.operands[0].elements) site.results.push_back(passed_place(l, o, true));
    for (const auto& o : in.operands[2].elements) site.arguments.push_back(passed_place(l, o, false));
    const auto& target = in.operands[1];
    const bool direct = target.kind == Kind::function;
    if (direct) {
        const FunctionCode* callee = callee_of(l, site);
        if (callee == nullptr || !same_bytes(site.arguments, callee->params) ||
            !same_bytes(site.results, callee->results))
            return {};
    } else {
        if (target.kind != Kind::reg || !is_wide(l, target)) return {};
        site.target = source(l, target, ptx::Type::u64);
        if (in.operands.size() > 3 && in.operands[3].kind == Kind::call_targets)
            for (const int32_t f : l.function.call_targets[static_cast<size_t>(in.operands[3].index)])
                site.allowed.push_back(function_index(l, f));
    }
    l.out.target = static_cast<int32_t>(l.program.calls.size());
    l.program.calls.push_back(std::move(site));
    return Exec{direct ? call_direct : call_indirect};
}

}  // namespace

// These handle their guard themselves.
Selected lower_call(Lowering& l) {
    if (l.in->op == Op::call) return lower_call_site(l);
    return l.in->op == Op::ret && !l.function.is_entry ? Selected{Exec{leave}} : Selected{};
}

uint64_t argument(Warp& w, const Instr* call, size_t k, int lane) {
    const auto& arguments = call_site(w, call).arguments;
    return k < arguments.size() ? passed_value(w, {*w.frame, arguments[k]}, lane) : 0;
}

void set_result(Warp& w, const Instr* call, int lane, uint64_t value) {
    const CallSite& site = call_site(w, call);
    if (!site.results.empty()) pass_value(w, value, {*w.frame, site.results[0]}, lane);
}

}  // namespace wl::emulator
