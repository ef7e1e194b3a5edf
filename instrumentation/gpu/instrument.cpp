// Each mark that is dumped is preceded by code; the mark itself stays, so that the sites of a capture are
// those of the plain kernel.
#include "instrumentation/gpu/instrument.h"

#include "instrumentation/base/error.h"
#include "instrumentation/gpu/instrument_work.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace wl::gpu {
std::string operand(const Body& body, const ptx::Operand& o) {
    return ptx::print(body.plain, body.function, o);
}

std::string new_register(Work& w, const Body& body, ptx::Type type, const char* name) {
    const int32_t at = ptx::add_register(w.out.module, body.index, type, name);
    return w.out.module.functions[body.index].registers[static_cast<size_t>(at)].name;
}

void put_in(Work& w, const Body& body, uint32_t at, std::string text, bool after) {
    w.texts.push_back(std::move(text));
    w.insertions.push_back({
        {body.index,                       at},
        after, w.texts.back(), {                                }
    });
}

bool is_dumped(const ptx::Mark& mark, bool stages) {
    return mark.kind != ptx::Mark::Kind::layout && (mark.kind != ptx::Mark::Kind::stage || stages);
}

namespace {

using MarkKind = ptx::Mark::Kind;

bool is_wanted(const Work& w, size_t mark) {
    return w.plan.has_marks && is_dumped(w.listing.marks[mark], w.plan.stages) &&
        (w.plan.marks.empty() || w.plan.marks[mark] != 0);
}

// The highest barrier of the 16 that no function of the entry names.
int free_barrier(const ptx::Module& module, const execution::Listing& listing) {
    std::vector<char> taken(16, 0);
    for (const int f : listing.functions) {
        for (const ptx::Instruction& in : module.functions[static_cast<size_t>(f)].code) {
            if (in.op != ptx::Op::bar) continue;
            const size_t id = in.types.empty() ? 0 : 1;  // behind what a reduction gives
            const ptx::Operand& o = in.operands.at(id);
            if (o.kind != ptx::Operand::Kind::immediate)
                throw Unsupported(fmt::format(
                    "unsupported: marks cannot be dumped: the kernel names a barrier by a register at {}, so "
                    "that none "
                    "is known to be free",
                    ptx::describe(module, in.location)
                ));
            if (o.bits < taken.size()) taken[o.bits] = 1;
        }
    }
    for (int k = 15; k > 0; --k)
        if (taken[static_cast<size_t>(k)] == 0) return k;
    throw Unsupported(
        "unsupported: marks cannot be dumped: the kernel uses all 16 barriers of a block, and one is needed"
    );
}

RegisterText register_of(const Body& body, const ptx::Instruction& in, const ptx::Mark& mark) {
    RegisterText text;
    if (mark.kind == MarkKind::fragment) {
        text.index = static_cast<uint32_t>(in.operands.at(0).bits);
        text.count = static_cast<uint32_t>(in.operands.at(1).bits);
    }
    const ptx::Operand& value = in.operands.back();
    ptx::Type type = ptx::Type::none;
    if (value.kind == ptx::Operand::Kind::reg)
        type = body.function.registers[static_cast<size_t>(value.index)].type;
    const auto element = static_cast<uint32_t>(size_of(mark.dtype));
    text.cell = mark.kind == MarkKind::lanes ? element
                                             : std::max(element, static_cast<uint32_t>(ptx::bytes_of(type)));
    text.floating = type == ptx::Type::f32 || type == ptx::Type::f64;
    text.value = operand(body, value);
    return text;
}

std::string text_of(
    const Body& body,
    const ptx::Instruction& in,
    const Names& names,
    const Numbers& numbers,
    const Group& group
) {
    const ptx::Mark& mark = body.function.marks[static_cast<size_t>(in.mark)];
    if (mark.kind == MarkKind::stage) return stage_text(names, numbers);
    if (mark.kind == MarkKind::fragment || mark.kind == MarkKind::lanes) {
        RegisterText reg = register_of(body, in, mark);
        reg.slot = group.slot;
        return register_text(names, numbers, reg);
    }
    const MatrixText matrix{
        operand(body, in.operands.at(0)),
        operand(body, in.operands.at(1)),
        operand(body, in.operands.at(2)),
        operand(body, in.operands.at(3))};
    return mark.kind == MarkKind::tile ? block_tile_text(names, numbers, matrix)
                                       : warp_tile_text(names, numbers, matrix);
}

Group& group_of(Work& w, const Body& body, Groups& groups, const ptx::Mark& mark) {
    const auto [entry, is_new] = groups.try_emplace({mark.kind, mark.name});
    if (is_new && w.plan.iterations) entry->second.counter = new_register(w, body, ptx::Type::u32, "%wl_n");
    if (is_new && (mark.kind == MarkKind::fragment || mark.kind == MarkKind::lanes))
        entry->second.slot = new_register(w, body, ptx::Type::u64, "%wl_slot");
    return entry->second;
}

void begin_body(Work& w, const Body& body, const Names& names, const Groups& groups) {
    for (const auto& [name, at] : body.function.labels)
        if (at == 0)
            throw Unsupported(
                "unsupported: " + body.function.name +
                " begins with a loop: there is no place before it where " + "a dump could be prepared"
            );
    std::string text = prologue_text(names, body.is_entry);
    for (const auto& [key, group] : groups) {
        if (!group.counter.empty()) text += fmt::format("    mov.u32 {}, 0;\n", group.counter);
        if (!group.slot.empty()) text += fmt::format("    mov.u64 {}, 0;\n", group.slot);
    }
    // Before everything that was put in at the first instruction.
    w.texts.push_back(std::move(text));
    w.insertions.insert(
        w.insertions.begin(),
        {
            {body.index,                           0},
            false, w.texts.back(), {                                    }
    }
    );
}

void begin_names(Work& w, const Body& body, Names& names) {
    names.on = new_register(w, body, ptx::Type::pred, "%wl_on");
    names.warp_on = new_register(w, body, ptx::Type::pred, "%wl_warp_on");
    names.barrier = w.barrier, names.host_visible = w.plan.host_visible;
    begin_recording(w, body, names);
}

void put_mark(Work& w, const Body& body, uint32_t at, const Names& names, Groups& groups) {
    const ptx::Instruction& in = body.function.code[at];
    const ptx::Mark& mark = body.function.marks[static_cast<size_t>(in.mark)];
    const Group& group = group_of(w, body, groups, mark);
    const Numbers numbers{
        body.first_mark + static_cast<uint32_t>(in.mark),
        body.first_site + at,
        static_cast<uint32_t>(size_of(mark.dtype)),
        group.counter};
    put_in(w, body, at, text_of(body, in, names, numbers, group));
}

void instrument_body(Work& w, const Body& body) {
    Groups groups;
    Names names;
    for (uint32_t at = 0; at < body.function.code.size(); ++at) {
        const ptx::Instruction& in = body.function.code[at];
        const bool mark =
            in.op == ptx::Op::mark && is_wanted(w, body.first_mark + static_cast<size_t>(in.mark));
        if (!mark && !is_recorded(w, body, at)) continue;
        if (names.on.empty()) begin_names(w, body, names);
        if (mark)
            put_mark(w, body, at, names, groups);
        else
            record_instruction(w, body, at, names, groups);
    }
    if (names.on.empty() && !body.is_entry) return;
    if (names.on.empty()) begin_names(w, body, names);
    begin_body(w, body, names, groups);
}

void add_variable(ptx::Module& module, const char* name, ptx::Space space, uint32_t align, uint64_t bytes) {
    for (const ptx::Variable& v : module.variables)
        if (v.name == name)
            throw Unsupported(
                fmt::format("unsupported: the kernel has a variable of the name {} itself", name)
            );
    ptx::Variable v;
    v.name = name, v.space = space, v.type = ptx::Type::b8, v.align = align, v.bytes = bytes;
    v.is_extern = bytes == 0;
    v.linkage = v.is_extern ? ".extern" : ".visible";
    module.variables.push_back(std::move(v));
}

}  // namespace

Instrumented instrument(const ptx::Module& module, const execution::Listing& listing, const Plan& plan) {
    Work w{
        .listing = listing, .plan = plan, .out = {module, 0, {plan.iterations, false, plan.arrays, {}}, {}}
    };
    std::vector<Body> bodies;
    uint32_t site = 0, mark = 0;
    for (const int f : listing.functions) {
        const ptx::Function& function = module.functions[static_cast<size_t>(f)];
        if (function.is_declaration) continue;
        bodies.push_back({module, function, static_cast<size_t>(f), site, mark, bodies.empty()});
        site += static_cast<uint32_t>(function.code.size());
        mark += static_cast<uint32_t>(function.marks.size());
    }
    add_variable(w.out.module, kControl, ptx::Space::global, 16, sizeof(Control));
    add_variable(w.out.module, kDynamic, ptx::Space::shared, 16, 0);
    w.barrier = free_barrier(module, listing);
    w.out.mailbox_bytes = kMailboxBytes;
    for (const Body& body : bodies) instrument_body(w, body);
    const ptx::Edit edit = ptx::insert(w.out.module, w.insertions);
    if (!edit) throw Unsupported("unsupported: the marks cannot be dumped: " + edit.refused);
    return std::move(w.out);
}

execution::Launch launch_of(const Instrumented& instrumented, execution::Launch plain) {
    if (instrumented.mailbox_bytes != 0)
        plain.dynamic_shared = (plain.dynamic_shared + 15) / 16 * 16 + instrumented.mailbox_bytes;
    return plain;
}

}  // namespace wl::gpu
