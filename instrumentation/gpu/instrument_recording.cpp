// Stores to shared memory and barriers become records. Of a store address and value are those of its
// operands; of an atomic the value is read back; a copy (cp.async) counts where it is issued, with what its
// source holds there.
#include "instrumentation/base/error.h"
#include "instrumentation/gpu/instrument_work.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/ptx/table/elements.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::gpu {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

const Operand* address_in(const Instruction& in) {
    const auto found = std::find_if(in.operands.begin(), in.operands.end(), [](const Operand& o) {
        return o.kind == Kind::address;
    });
    return found == in.operands.end() ? nullptr : &*found;
}

// The memory that it writes, as far as the text says; none where it writes no memory by an address.
ptx::Space written_space(const Instruction& in) {
    const Operand* const address = address_in(in);
    if (in.form == nullptr || address == nullptr || !writes(traits_of(in).memory)) return ptx::Space::none;
    return space_of(in, role_of(in, static_cast<size_t>(address - in.operands.data())));
}

bool may_write_shared(const Instruction& in) {
    if (in.form == nullptr || address_in(in) == nullptr || !writes(traits_of(in).memory)) return false;
    const ptx::Space space = written_space(in);
    return space == ptx::Space::shared || space == ptx::Space::generic;
}

// A copy of many bytes from global memory into the block's own; tensors and other blocks' memory are not.
bool is_bulk_copy(const Instruction& in) {
    return in.op == Op::cp_async_bulk && in.mnemonic.starts_with("cp.async.bulk.shared::") &&
        in.mnemonic.find(".global.") != std::string::npos &&
        in.mnemonic.find(".multicast") == std::string::npos;
}

bool is_known_store(const Instruction& in) {
    const bool narrow = in.types.empty() || ptx::bytes_of(in.types.back()) <= 8;
    switch (in.op) {
        case Op::st:
        case Op::cp_async:
        case Op::wmma_store: return true;
        case Op::atom:
        case Op::red: return narrow;
        case Op::stmatrix: return in.modifiers.shape == "m8n8";
        default: return false;
    }
}

// Leaves the lanes out that the instruction leaves out.
std::string guard_text(const Body& body, const Instruction& in) {
    if (in.guard.reg < 0) return {};
    const std::string& name = body.function.registers[static_cast<size_t>(in.guard.reg)].name;
    return fmt::format("@{}{} ", in.guard.negated ? "" : "!", name);
}

// Statements that leave the address in a register of 64 bits.
std::string address_text(const Body& body, const Operand& address, const char* into) {
    Operand base;
    base.kind = address.base_kind, base.index = address.index, base.local = address.local;
    std::string text;
    if (address.base_kind == Kind::none) {
        text = fmt::format("    mov.u64 {}, 0;\n", into);
    } else if (address.base_kind == Kind::reg) {
        const ptx::Type type = body.function.registers[static_cast<size_t>(address.index)].type;
        const char* const move = ptx::bytes_of(type) == 8 ? "mov.b64" : "cvt.u64.u32";
        text = fmt::format("    {} {}, {};\n", move, into, operand(body, base));
    } else {
        text = fmt::format("    mov.u64 {}, {};\n", into, operand(body, base));
    }
    if (address.offset != 0) text += fmt::format("    add.s64 {0}, {0}, {1};\n", into, address.offset);
    return text;
}

std::vector<Operand> registers_of(const Operand& data) {
    return data.kind == Kind::vector ? data.elements : std::vector<Operand>{data};
}

StoreText begin_store(const Body& body, const Instruction& in) {
    StoreText s;
    s.guard = guard_text(body, in);
    s.address = address_text(body, *address_in(in), "target");
    s.generic = written_space(in) == ptx::Space::generic;
    return s;
}

StoreText plain_store(const Body& body, const Instruction& in) {
    StoreText s = begin_store(body, in);
    const Operand& data = *operand_in(in, traits_of(in).data);
    const size_t count = registers_of(data).size();
    const std::string type(name_of(in.types.back()));
    s.type = (data.kind == Kind::vector && count > 1 ? fmt::format("v{}.", count) : "") + type;
    s.cell = static_cast<uint32_t>(ptx::bytes_of(in.types.back()) * count);
    s.values = {operand(body, data)};
    return s;
}

StoreText atomic_store(const Body& body, const Instruction& in) {
    StoreText s = begin_store(body, in);
    s.cell = static_cast<uint32_t>(ptx::bytes_of(in.types.back()));
    s.type = fmt::format("b{}", s.cell * 8), s.values = {"left"}, s.again = true;
    return s;
}

// Words of the source, zero beyond the bytes that are taken from it.
StoreText copy_store(const Body& body, const Instruction& in) {
    StoreText s = begin_store(body, in);
    const auto bytes = static_cast<uint32_t>(in.operands.at(2).bits);
    const Operand* const fill = operand_in(in, traits_of(in).fill);
    std::string& text = s.address;
    text += "    .reg .b64 source;\n" + address_text(body, in.operands.at(1), "source");
    text += "    .reg .b32 taken;\n    .reg .pred within;\n";
    const bool ignores = fill != nullptr && fill->kind == Kind::reg &&
        body.function.registers[static_cast<size_t>(fill->index)].type == ptx::Type::pred;
    text += fmt::format(
        "    mov.u32 taken, {};\n", fill == nullptr || ignores ? std::to_string(bytes) : operand(body, *fill)
    );
    if (ignores) text += fmt::format("    @{} mov.u32 taken, 0;\n", operand(body, *fill));
    for (uint32_t at = 0; at < bytes; at += 4) {
        const std::string word = fmt::format("word{}", at / 4);
        text += fmt::format(
            "    .reg .b32 {0};\n    mov.u32 {0}, 0;\n    setp.gt.u32 within, taken, {1};\n", word, at + 3
        );
        text += fmt::format("    @within ld.global.u32 {}, [source+{}];\n", word, at);
        s.values.push_back(word);
    }
    s.cell = 4, s.type = "u32";
    return s;
}

MatrixStore matrix_of(const Instruction& in) {
    MatrixStore m;
    if (in.op == Op::stmatrix) {
        m.layout = matrix_move_layout(in.modifiers.vector, in.modifiers.trans), m.by_rows = true;
        return m;
    }
    FragmentForm form;
    form.instruction = MatrixInstruction::wmma, form.operand = MatrixOperand::c;
    form.shape = matrix_shape_from_name(in.modifiers.shape).value();
    form.bits = ptx::element_bits(in.types[0]);
    m.layout = fragment_layout(form), m.column = in.modifiers.layout_a == "col";
    return m;
}

StoreText matrix_store(const Body& body, const Instruction& in, const MatrixStore& m) {
    StoreText s = begin_store(body, in);
    const bool wide = m.layout.register_bits == 64;
    const std::vector<Operand> registers = registers_of(in.operands.at(1));
    for (const Operand& o : registers) s.values.push_back(operand(body, o));
    const ptx::Type type = registers.front().kind == Kind::reg
        ? body.function.registers[static_cast<size_t>(registers.front().index)].type
        : ptx::Type::b32;
    s.type = wide ? "f64" : type == ptx::Type::f32 ? "f32" : "b32";
    s.cell = wide ? 8 : 4;
    if (m.by_rows) return s;
    s.pitch = in.operands.size() > 2 ? operand(body, in.operands[2])
                                     : std::to_string(m.column ? m.layout.rows : m.layout.columns);
    return s;
}

// An atomic that writes over the register of its own address leaves nothing to read it back by: the address
// is kept.
bool loses_address(const Instruction& in) {
    const Operand* const address = address_in(in);
    return in.op == Op::atom && address->base_kind == Kind::reg && in.operands.front().kind == Kind::reg &&
        in.operands.front().index == address->index;
}

void record_bulk(Work& w, const Body& body, uint32_t at, const Names& names) {
    const Instruction& in = body.function.code[at];
    const BulkText bulk{
        guard_text(body, in),
        address_text(body, in.operands.at(0), "target") + address_text(body, in.operands.at(1), "source"),
        operand(body, in.operands.at(2))};
    put_in(w, body, at, bulk_text(names, {kBulk, body.first_site + at, 1, {}}, bulk));
}

void record_store(Work& w, const Body& body, uint32_t at, const Names& names) {
    const Instruction& in = body.function.code[at];
    const Numbers numbers{kStore, body.first_site + at, 1, {}};
    StoreText s;
    switch (in.op) {
        case Op::st: s = plain_store(body, in); break;
        case Op::cp_async: s = copy_store(body, in); break;
        case Op::atom:
        case Op::red:
            s = atomic_store(body, in);
            if (loses_address(in)) {
                const std::string kept = new_register(w, body, ptx::Type::u64, "%wl_at");
                put_in(w, body, at, address_text(body, *address_in(in), kept.c_str()));
                s.address = fmt::format("    mov.b64 target, {};\n", kept);
            }
            break;
        default: {
            const auto [known, made] = w.out.dumped.matrices.emplace(numbers.site, matrix_of(in));
            s = matrix_store(body, in, known->second);
        }
    }
    put_in(w, body, at, store_text(names, numbers, s), s.again);
}

void say_left_out(Work& w, const Body& body, const Instruction& in) {
    const std::string note = fmt::format(
        "stores of {} at {} are not dumped: their owners are unknown",
        in.mnemonic,
        ptx::describe(body.plain, in.location)
    );
    if (std::find(w.out.notes.begin(), w.out.notes.end(), note) == w.out.notes.end())
        w.out.notes.push_back(note);
}

MatrixText matrix_of(const execution::Array& a) {
    const std::string rows = std::to_string(a.rows), cols = std::to_string(a.cols);
    MatrixText m{"array", rows, cols, cols};
    m.known_rows = a.rows, m.known_cols = m.known_ld = a.cols;
    return m;
}

void record_arrays(Work& w, const Body& body, uint32_t at, const Names& names, Groups& groups) {
    const Instruction& in = body.function.code[at];
    const uint32_t site = body.first_site + at;
    for (size_t k = 0; k < w.plan.arrays.size(); ++k) {
        const execution::Array& a = w.plan.arrays[k];
        if (site < a.first_site || site >= a.end_site) continue;
        Group& group = groups[{a.mark.kind, a.mark.name}];
        const bool counted = !names.epoch.empty();
        if (counted && group.counter.empty()) group.counter = new_register(w, body, ptx::Type::u32, "%wl_n");
        Operand variable;
        variable.kind = Kind::symbol, variable.index = a.variable, variable.local = a.function >= 0;
        const std::string guard = guard_text(body, in);
        const Numbers numbers{
            static_cast<uint32_t>(w.listing.marks.size() + k),
            site,
            static_cast<uint32_t>(size_of(a.mark.dtype)),
            group.counter,
            true};
        put_in(
            w,
            body,
            at,
            (guard.empty() ? "" : "    " + guard + "bra END;\n") +
                fmt::format(
                    "    .reg .b64 array;\n    mov.u64 array, {};\n    cvta.shared.u64 array, array;\n",
                    operand(body, variable)
                ) +
                block_tile_text(names, numbers, matrix_of(a))
        );
    }
}

bool sees_arrays(const Work& w, const Body& body, uint32_t at) {
    const uint32_t site = body.first_site + at;
    return execution::waits_for_block(body.function.code[at]) &&
        std::any_of(w.plan.arrays.begin(), w.plan.arrays.end(), [&](const execution::Array& a) {
               return site >= a.first_site && site < a.end_site;
           });
}

bool counts_epochs(const Plan& plan) {
    return plan.recording.first_epoch != 0 || plan.recording.end_epoch != UINT32_MAX;
}

}  // namespace

bool is_recorded(const Work& w, const Body& body, uint32_t at) {
    const Instruction& in = body.function.code[at];
    if (in.op == Op::bar) return w.plan.recording.stores || sees_arrays(w, body, at);
    return w.plan.recording.stores && may_write_shared(in);
}

void begin_recording(Work& w, const Body& body, Names& names) {
    if (w.plan.recording.stores) names.store_on = new_register(w, body, ptx::Type::pred, "%wl_store_on");
    if (!counts_epochs(w.plan)) return;
    if (!body.is_entry)
        throw Unsupported(fmt::format(
            "unsupported: --record epochs counts the barriers of the kernel itself, and {}, which it calls, "
            "has "
            "barriers or stores of its own; leave the epochs out",
            body.function.name
        ));
    names.epoch = new_register(w, body, ptx::Type::u32, "%wl_epoch");
    w.out.dumped.epochs = true;
}

void record_instruction(Work& w, const Body& body, uint32_t at, const Names& names, Groups& groups) {
    const Instruction& in = body.function.code[at];
    if (in.op != Op::bar) {
        if (is_bulk_copy(in))
            record_bulk(w, body, at, names);
        else if (is_known_store(in))
            record_store(w, body, at, names);
        else
            say_left_out(w, body, in);
        return;
    }
    const std::string guard = guard_text(body, in), id = operand(body, execution::barrier_of(in));
    const bool waits = in.mnemonic.find(".arrive") == std::string::npos;
    const auto tell = [&](EventMark told, bool after) {
        const Numbers numbers{told, body.first_site + at, 1, {}};
        put_in(w, body, at, barrier_text(names, numbers, guard, id), after);
    };
    if (w.plan.recording.stores) tell(kArrive, false);
    record_arrays(w, body, at, names, groups);
    if (!names.epoch.empty()) put_in(w, body, at, epoch_text(names, guard), true);
    if (w.plan.recording.stores && waits) tell(kRelease, true);
}

}  // namespace wl::gpu
