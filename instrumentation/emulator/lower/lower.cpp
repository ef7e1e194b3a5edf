// Lowering an entry and what it calls: variables get their places, registers their slots, instructions their
// executors.
#include "instrumentation/emulator/lower/lower.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/exec/builtins.h"
#include "instrumentation/emulator/exec/cluster.h"
#include "instrumentation/emulator/exec/wrap.h"
#include "instrumentation/emulator/lower/check.h"
#include "instrumentation/emulator/lower/closed_loops.h"
#include "instrumentation/emulator/lower/collective_reads.h"
#include "instrumentation/emulator/lower/extents.h"
#include "instrumentation/emulator/lower/flights.h"
#include "instrumentation/emulator/lower/order_sites.h"
#include "instrumentation/emulator/lower/ways_round.h"
#include "instrumentation/emulator/program/lowering.h"
#include "instrumentation/emulator/run.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

using ptx::Op;
using Lower = Selected (*)(Lowering&);

// clang-format off
constexpr Lower kFamilies[] = {
    lower_integer,
    lower_carry,
    lower_bits,
    lower_float,
    lower_half,
    lower_approximate,
    lower_convert,
    lower_compare,
    lower_logic,
    lower_move,
    lower_param,
    lower_memory,
    lower_policy,
    lower_copy,
    lower_copy_bulk,
    lower_copy_tensor,
    lower_atomic,
    lower_video,
    lower_video_simd,
    lower_warp,
    lower_matrix,
    lower_barrier,
    lower_cluster,
    lower_mbarrier,
    lower_texture,
    lower_surface,
    lower_control,
    lower_call,
    lower_stack,
    lower_mark,
};
// clang-format on

// ---- instructions

bool lower_one(Lowering& l, uint32_t index) {
    l.in = &l.function.code[index];
    l.failed = false;
    const ptx::Guard& guard = l.in->guard;
    Selected selected;
    for (const Lower family : kFamilies) {
        l.out = {};
        l.out.site = l.first_site + index;
        if (guard.reg >= 0)
            l.out.guard = l.register_slots[static_cast<size_t>(guard.reg)] | (guard.negated ? 1 : 0);
        l.failed = false;
        selected = family(l);
        if (selected && !l.failed) break;
        selected = {};
    }
    if (selected) {
        add_memory_sites(l);
        add_order_site(l);
    }
    for (size_t v = 0; v < kVariants; ++v) {
        Instr out = l.out;
        out.inner = selected.exec[v];
        out.exec = wrapped(l, out.inner);
        l.program.code[v].push_back(out);
    }
    return static_cast<bool>(selected);
}

// A function may end without ret or exit.
void append_end(Lowering& l) {
    const ptx::Instruction end = ptx::instruction("ret");
    l.in = &end;
    l.out = {};
    const Selected selected = l.function.is_entry ? lower_control(l) : lower_call(l);
    l.out.exec = l.out.inner = selected.exec[kPlain];
    l.out.site = l.first_site;
    if (!l.function.code.empty()) l.out.site += static_cast<uint32_t>(l.function.code.size()) - 1;
    for (auto& code : l.program.code) code.push_back(l.out);
}

void lower_code(Lowering& l, std::vector<uint32_t>* unsupported) {
    l.self.begin = static_cast<uint32_t>(l.program.code[kPlain].size());
    add_extents(l);
    for (uint32_t k = 0; k < l.function.code.size(); ++k) {
        l.program.waits_for_blocks = l.program.waits_for_blocks || polls_other_blocks(l, l.function.code[k]);
        if (lower_one(l, k)) continue;
        if (unsupported == nullptr) throw Unsupported(describe_unsupported(l.module, l.function.code[k]));
        unsupported->push_back(k);
    }
    add_confirmed_loads(l);
    add_closed_loops(l);
    add_ways_round(l);
    add_flights(l);
    append_end(l);
    for (auto& code : l.program.code) order_blocks(l.function, std::span(code).subspan(l.self.begin));
}

// ---- functions

void place_registers(Lowering& l) {
    if (l.module.address_size == 32)
        throw Unsupported(
            "unsupported: addresses of 32 bits, which ptxas 13 does not compile either; compile with -m64"
        );
    RegisterFile& file = l.self.file;
    l.register_slots = assign_registers(l.function, file);
    l.read = registers_read(l.function);
    l.scratch = file.bytes;
    file.bytes += 2 * kPlane;
    place_function_variables(l);
    file.bytes = (file.bytes + 63) / 64 * 64;
    file.constants = file.bytes;
}

void add_reductions(Lowering& l) {
    for (Reduction& r : find_reductions(l.function)) {
        r.head += l.first_site;
        for (uint32_t& site : r.sites) site += l.first_site;
        l.program.reductions.push_back(std::move(r));
    }
}

void add_symbols(
    const std::vector<ptx::Variable>& variables,
    const std::vector<Placed>& places,
    int function,
    Program& program
) {
    for (size_t k = 0; k < variables.size() && k < places.size(); ++k)
        if (places[k].space != ptx::Space::none && !places[k].rows)
            program.symbols.push_back({variables[k].name, function, places[k].space, places[k].offset});
}

// What the program calls comes behind its first function; only that one is lowered when `unsupported` asks
// what it lacks.
std::shared_ptr<const Program> lower_program(
    const ptx::Module& module, const ptx::Function& first, std::vector<uint32_t>* unsupported
) {
    auto program = std::make_shared<Program>();
    program->name = first.name;
    program->listing = execution::list(module, static_cast<int>(&first - module.functions.data()));
    const std::vector<int>& reached = program->listing.functions;
    program->functions.resize(reached.size());
    Linking linking;
    for (const int f : reached) linking.functions.emplace(f, static_cast<int>(linking.functions.size()));
    place_module_variables(module, linking, *program);
    std::vector<Lowering> all;
    uint32_t site = 0;
    size_t mark = 0;
    for (size_t k = 0; k < reached.size(); ++k) {
        const ptx::Function& f = module.functions[static_cast<size_t>(reached[k])];
        FunctionCode& self = program->functions[k];
        self.name = f.name;
        self.is_defined = !f.is_declaration;
        if (!self.is_defined) self.builtin = builtin_function(f.name);
        all.push_back({module, f, *program, linking, self, site, static_cast<int>(mark)});
        place_shared(all.back());
        site += static_cast<uint32_t>(f.code.size());
        mark += f.marks.size();
    }
    place_dynamic_shared(module, linking, *program);
    for (Lowering& l : all) {
        place_registers(l);
        add_reductions(l);
    }
    add_symbols(module.variables, linking.module_variables, -1, *program);
    for (const Lowering& l : all) {
        const auto function = static_cast<int>(&l - all.data());
        add_symbols(l.function.variables, l.function_variables, function, *program);
        add_symbols(l.function.params, l.params, function, *program);
    }
    for (Lowering& l : all)
        if (l.self.is_defined && (unsupported == nullptr || &l == all.data())) lower_code(l, unsupported);
    const uint64_t blocks = blocks_of_cluster(first);
    if (program->uses_cluster && blocks > 1)
        throw Unsupported(fmt::format("unsupported: clusters of {} blocks (.reqnctapercluster)", blocks));
    if (unsupported == nullptr) add_collective_reads(all, *program);
    program->mark_groups = static_cast<int>(linking.mark_groups.size());
    return program;
}

}  // namespace

int function_index(const Lowering& l, int function) {
    const int aliased = l.module.functions[static_cast<size_t>(function)].alias_of;
    if (aliased >= 0) function = aliased;
    const auto known = l.linking.functions.find(function);
    return known == l.linking.functions.end() ? -1 : known->second;
}

std::string describe_unsupported(const ptx::Module& module, const ptx::Instruction& in) {
    const std::string where =
        in.location >= 0 ? ptx::describe(module, in.location) : fmt::format("PTX line {}", in.text_line);
    const bool names_function = in.op == Op::call && in.operands[1].kind == ptx::Operand::Kind::function;
    const std::string callee =
        names_function ? " " + module.functions[static_cast<size_t>(in.operands[1].index)].name : "";
    return fmt::format("unsupported: {}{} at {}", in.mnemonic, callee, where);
}

std::shared_ptr<const Program> lower(const ptx::Module& module, std::string_view entry) {
    require_vector_cpu();
    const ptx::Function* function = ptx::find_entry(module, entry);
    if (function == nullptr)
        throw Error(fmt::format("The PTX has no entry named \"{}\"; check the kernel's name.", entry));
    return lower_program(module, *function, nullptr);
}

std::vector<uint32_t> refused_sites(const ptx::Module& module, const ptx::Function& function) {
    std::vector<uint32_t> sites;
    lower_program(module, function, &sites);
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

const execution::Listing& listing(const Program& program) { return program.listing; }
std::vector<capture::Site> sites(const Program& program) { return program.listing.sites; }
const std::vector<ptx::Mark>& marks(const Program& program) { return program.listing.marks; }
uint32_t static_shared_bytes(const Program& program) { return program.static_shared; }
const execution::Contest& contest(const Program& program) { return program.contest; }

}  // namespace wl::emulator
