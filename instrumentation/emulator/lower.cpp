// Lowering an entry: variables get their places, registers their slots, instructions their executors.
#include "instrumentation/emulator/lower.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/access.h"
#include "instrumentation/emulator/lowering.h"
#include "instrumentation/emulator/schedule.h"
#include "instrumentation/emulator/simd.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Space;
using Lower = Selected (*)(Lowering&);

constexpr Lower kFamilies[] = {
    lower_integer, lower_carry,    lower_bits,    lower_float,      lower_half,   lower_approximate,
    lower_convert, lower_compare,  lower_logic,   lower_move,       lower_memory, lower_policy,
    lower_copy,    lower_atomic,   lower_video,   lower_video_simd, lower_warp,   lower_matrix,
    lower_barrier, lower_mbarrier, lower_control, lower_mark,
};

uint64_t align_up(uint64_t x, uint64_t align) { return (x + align - 1) / align * align; }

// ---- guards

// Runs the body for the lanes whose guard is true.
const Instr* guarded(Warp& w, const Instr* i) {
    const uint32_t before = w.mask;
    w.mask = before & read_predicate(w, i->guard);
    const Instr* next = w.mask != 0 ? i->inner(w, i) : i + 1;
    w.mask = before;
    return next;
}
// The same for what may wait: the lanes without go on as a split of their own.
const Instr* guarded_wait(Warp& w, const Instr* i) {
    const uint32_t lanes = w.mask & read_predicate(w, i->guard);
    if (lanes == 0) return i + 1;
    if (lanes == w.mask) return i->inner(w, i);
    close_segment(w, i);
    part(w, lanes, i + 1);
    const Instr* next = i->inner(w, i);
    return next != nullptr ? yield(w, next) : nullptr;
}

bool handles_guard(Op op) {
    return op == Op::bra || op == Op::ret || op == Op::exit || op == Op::trap || op == Op::bar;
}
bool is_matrix(Op op) {
    return op == Op::wmma_load || op == Op::wmma_store || op == Op::wmma_mma || op == Op::mma ||
        op == Op::mma_sp || op == Op::ldmatrix || op == Op::stmatrix || op == Op::movmatrix;
}
bool may_wait(Op op) {
    return op == Op::shfl || op == Op::vote || op == Op::match || op == Op::redux || op == Op::elect ||
        op == Op::bar_warp_sync || op == Op::mark || is_matrix(op);
}

// ---- variables

// Offsets of one space's variables, one after the other; what has no extent (dynamic shared memory) comes
// last.
uint64_t place(
    const std::vector<ptx::Variable>& variables, Space space, uint64_t from, std::vector<Placed>& out
) {
    uint64_t end = from;
    for (size_t k = 0; k < variables.size(); ++k) {
        const ptx::Variable& v = variables[k];
        if (v.space != space || v.bytes == 0) continue;
        const uint64_t offset = align_up(end, std::max<uint64_t>(v.align, 1));
        out[k] = {space, offset, -1};
        end = offset + v.bytes;
    }
    return end;
}
void place_dynamic(const std::vector<ptx::Variable>& variables, uint64_t end, std::vector<Placed>& out) {
    for (size_t k = 0; k < variables.size(); ++k)
        if (variables[k].space == Space::shared && variables[k].bytes == 0) out[k] = {Space::shared, end, -1};
}

void place_globals(Lowering& l) {
    const auto& variables = l.module.variables;
    for (size_t k = 0; k < variables.size(); ++k) {
        if (variables[k].space != Space::global) continue;
        l.module_variables[k] = {Space::global, 0, static_cast<int>(l.program.globals.size())};
        l.program.globals.push_back(
            {variables[k].name, variables[k].bytes, variables[k].init, static_cast<int>(k)}
        );
    }
}

void fill_constants(Lowering& l) {
    for (size_t k = 0; k < l.module.variables.size(); ++k) {
        const auto& v = l.module.variables[k];
        if (v.space != Space::constant) continue;
        for (const auto& init : v.init) {
            const size_t at = l.module_variables[k].offset + init.offset;
            if (at + init.bytes.size() <= l.program.constant_bank.size())
                std::copy(
                    init.bytes.begin(),
                    init.bytes.end(),
                    l.program.constant_bank.begin() + static_cast<std::ptrdiff_t>(at)
                );
        }
    }
}

void place_variables(Lowering& l) {
    constexpr uint64_t kDynamicAlign = 16;
    l.module_variables.resize(l.module.variables.size());
    l.function_variables.resize(l.function.variables.size());
    l.params.resize(l.function.params.size());
    uint64_t shared = place(l.module.variables, Space::shared, 0, l.module_variables);
    shared = place(l.function.variables, Space::shared, shared, l.function_variables);
    const uint64_t dynamic = align_up(shared, kDynamicAlign);
    place_dynamic(l.module.variables, dynamic, l.module_variables);
    place_dynamic(l.function.variables, dynamic, l.function_variables);
    const auto note_shared = [&l](const std::vector<ptx::Variable>& variables, const auto& places) {
        for (size_t k = 0; k < variables.size(); ++k)
            if (variables[k].space == Space::shared && variables[k].bytes != 0)
                l.program.shared_variables.push_back(
                    {variables[k].name, static_cast<uint32_t>(places[k].offset), variables[k].bytes}
                );
    };
    note_shared(l.module.variables, l.module_variables);
    note_shared(l.function.variables, l.function_variables);
    l.program.static_shared = static_cast<uint32_t>(shared == 0 ? 0 : dynamic);
    const uint64_t local = place(l.function.variables, Space::local, 0, l.function_variables);
    l.program.local_bytes = static_cast<uint32_t>(align_up(local, 16));
    l.program.constant_bank.resize(place(l.module.variables, Space::constant, 0, l.module_variables));
    uint64_t params = 0;
    for (size_t k = 0; k < l.function.params.size(); ++k) {
        const auto& p = l.function.params[k];
        params = align_up(params, std::max<uint64_t>(p.align, 1));
        l.params[k] = {Space::param, params, -1};
        params += p.bytes;
    }
    l.program.param_bytes = static_cast<uint32_t>(params);
    place_globals(l);
    fill_constants(l);
}

// ---- sites, stages

void add_sites(Lowering& l) {
    std::map<int, int> site_of_location;
    auto& sites = l.program.sites;
    sites.resize(l.function.code.size());
    const auto fill = [&](capture::Site& site, const ptx::Location& where) {
        site.source = where.file;
        site.line = where.line;
        site.column = where.column;
        if (where.function >= 0) site.function = l.module.function_names[static_cast<size_t>(where.function)];
    };
    // Call sites come behind the instructions, each once; they are appended before they are referred to.
    const auto call_site = [&](auto&& self, int location) -> int {
        if (location < 0) return -1;
        const auto known = site_of_location.find(location);
        if (known != site_of_location.end()) return known->second;
        const ptx::Location& where = l.module.locations[static_cast<size_t>(location)];
        capture::Site site;
        fill(site, where);
        site.inlined_at = self(self, where.inlined_at);
        sites.push_back(site);
        return site_of_location[location] = static_cast<int>(sites.size()) - 1;
    };
    for (size_t k = 0; k < l.function.code.size(); ++k) {
        const auto& in = l.function.code[k];
        sites[k].text = ptx::print(l.module, l.function, in);
        if (in.location < 0) continue;
        const ptx::Location& where = l.module.locations[static_cast<size_t>(in.location)];
        fill(sites[k], where);
        const int call = call_site(call_site, where.inlined_at);
        sites[k].inlined_at = call;
    }
}

void name_stages(Program& program) {
    for (const ptx::Mark& mark : program.marks) {
        int index = -1;
        if (mark.kind == ptx::Mark::Kind::stage) {
            const auto known = std::find(program.stages.begin(), program.stages.end(), mark.name);
            index = static_cast<int>(known - program.stages.begin());
            if (known == program.stages.end()) program.stages.push_back(mark.name);
        }
        program.stage_of_mark.push_back(index);
    }
}

// ---- instructions

bool lower_one(Lowering& l, uint32_t site) {
    l.in = &l.function.code[site];
    l.failed = false;
    const ptx::Guard& guard = l.in->guard;
    Selected selected;
    for (const Lower family : kFamilies) {
        l.out = {};
        l.out.site = site;
        if (guard.reg >= 0)
            l.out.guard = l.register_slots[static_cast<size_t>(guard.reg)] | (guard.negated ? 1 : 0);
        l.failed = false;
        selected = family(l);
        if (selected && !l.failed) break;
        selected = {};
    }
    if (selected) add_memory_sites(l);
    for (size_t v = 0; v < kVariants; ++v) {
        Instr out = l.out;
        out.inner = selected.exec[v];
        out.exec = out.inner;
        if (guard.reg >= 0 && !handles_guard(l.in->op))
            out.exec = may_wait(l.in->op) ? guarded_wait : guarded;
        l.program.code[v].push_back(out);
    }
    return static_cast<bool>(selected);
}

// A function may end without ret or exit.
void append_end(Lowering& l) {
    ptx::Instruction end;
    end.op = Op::exit;
    end.mnemonic = "exit";
    l.in = &end;
    l.out = {};
    const Selected selected = lower_control(l);
    l.out.exec = l.out.inner = selected.exec[kPlain];
    l.out.site = l.function.code.empty() ? 0 : static_cast<uint32_t>(l.function.code.size()) - 1;
    for (auto& code : l.program.code) code.push_back(l.out);
}

void lower_code(Lowering& l, std::vector<uint32_t>* unsupported) {
    for (uint32_t site = 0; site < l.function.code.size(); ++site) {
        if (lower_one(l, site)) continue;
        if (unsupported == nullptr) throw Unsupported(describe_unsupported(l.module, l.function.code[site]));
        unsupported->push_back(site);
    }
    append_end(l);
    for (auto& code : l.program.code) order_blocks(l.function, code);
}

std::shared_ptr<const Program> lower_function(
    const ptx::Module& module, const ptx::Function& function, std::vector<uint32_t>* unsupported
) {
    auto program = std::make_shared<Program>();
    Lowering l{module, function, *program};
    program->name = function.name;
    program->marks = function.marks;
    name_stages(*program);
    l.register_slots = assign_registers(function, program->file);
    l.scratch = program->file.bytes;
    program->file.bytes += 2 * kPlane;
    program->file.constants = program->file.bytes;
    place_variables(l);
    program->reductions = find_reductions(function);
    add_sites(l);
    lower_code(l, unsupported);
    program->mark_groups = static_cast<int>(l.mark_groups.size());
    return program;
}

}  // namespace

std::string describe_unsupported(const ptx::Module& module, const ptx::Instruction& in) {
    const std::string where =
        in.location >= 0 ? ptx::describe(module, in.location) : fmt::format("PTX line {}", in.text_line);
    return fmt::format("unsupported: {} at {}", in.mnemonic, where);
}

std::shared_ptr<const Program> lower(const ptx::Module& module, std::string_view entry) {
    require_vector_cpu();
    const ptx::Function* function = ptx::find_entry(module, entry);
    if (function == nullptr)
        throw Error(fmt::format("The PTX has no entry named \"{}\"; check the kernel's name.", entry));
    return lower_function(module, *function, nullptr);
}

std::vector<uint32_t> refused_sites(const ptx::Module& module, const ptx::Function& function) {
    std::vector<uint32_t> sites;
    lower_function(module, function, &sites);
    return sites;
}

std::vector<std::string> unsupported(const ptx::Module& module) {
    std::vector<std::string> all;
    for (const ptx::Function& function : module.functions) {
        if (function.is_declaration) continue;
        for (const uint32_t site : refused_sites(module, function))
            all.push_back(describe_unsupported(module, function.code[site]));
    }
    return all;
}

std::vector<capture::Site> sites(const Program& program) { return program.sites; }
uint32_t static_shared_bytes(const Program& program) { return program.static_shared; }

}  // namespace wl::emulator
