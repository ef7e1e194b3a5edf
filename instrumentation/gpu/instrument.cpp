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

using ptx::Instruction;
using MarkKind = ptx::Mark::Kind;

bool is_wanted(const Work& w, size_t mark) {
    return w.plan.has_marks && is_dumped(w.listing.marks[mark], w.plan.stages) &&
        (w.plan.marks.empty() || w.plan.marks[mark] != 0);
}

// The first barrier of the 16 that no function of the entry names: ptxas reserves those below it, too.
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
    for (int k = 1; k < 16; ++k)
        if (taken[static_cast<size_t>(k)] == 0) return k;
    throw Unsupported(
        "unsupported: marks cannot be dumped: the kernel uses all 16 barriers of a block, and one is needed"
    );
}

// Of the marks of one fragment that stand together.
RegisterText register_of(const Body& body, const std::vector<uint32_t>& marks) {
    const Instruction& first = body.function.code[marks.front()];
    const ptx::Mark& mark = body.function.marks[static_cast<size_t>(first.mark)];
    const bool fragment = mark.kind == MarkKind::fragment;
    RegisterText text;
    if (fragment) text.count = static_cast<uint32_t>(first.operands.at(1).bits);
    for (const uint32_t at : marks) {
        const Instruction& in = body.function.code[at];
        text.values.push_back(
            {operand(body, in.operands.back()), fragment ? static_cast<uint32_t>(in.operands.at(0).bits) : 0}
        );
    }
    const ptx::Operand& value = first.operands.back();
    ptx::Type type = ptx::Type::none;
    if (value.kind == ptx::Operand::Kind::reg)
        type = body.function.registers[static_cast<size_t>(value.index)].type;
    const auto element = static_cast<uint32_t>(size_of(mark.dtype));
    text.cell = fragment ? std::max(element, static_cast<uint32_t>(ptx::bytes_of(type))) : element;
    text.floating = type == ptx::Type::f32 || type == ptx::Type::f64;
    return text;
}

MatrixText matrix_of(const Body& body, const Instruction& in) {
    MatrixText m{
        operand(body, in.operands.at(0)),
        operand(body, in.operands.at(1)),
        operand(body, in.operands.at(2)),
        operand(body, in.operands.at(3))};
    m.known_rows = count_of(body.flow, in.operands[1]);
    m.known_cols = count_of(body.flow, in.operands[2]);
    m.known_ld = count_of(body.flow, in.operands[3]);
    return m;
}

// A block's tile whose threads may leave out a meeting: they take it the quick way or all the other.
bool may_share_meetings(const Work& w, const Body& body, const Names& names, const Instruction& in) {
    if (names.tile_next.empty() || w.plan.iterations || w.plan.host_visible) return false;
    if (in.op != ptx::Op::mark || !is_wanted(w, body.first_mark + static_cast<size_t>(in.mark))) return false;
    if (body.function.marks[static_cast<size_t>(in.mark)].kind != MarkKind::tile) return false;
    const MatrixText m = matrix_of(body, in);
    return m.known_rows && m.known_cols && m.known_ld && *m.known_rows != 0 && *m.known_cols != 0;
}

// The next, or the last, mark of that kind in the run of code around `at`, between which nothing is written.
bool shares_meeting(const Work& w, const Body& body, const Names& names, uint32_t at, int step) {
    const ptx::Code& code = body.function.code;
    for (int64_t k = int64_t{at} + step; k >= 0 && k < static_cast<int64_t>(code.size()); k += step) {
        const auto other = static_cast<uint32_t>(k);
        if (!is_quiet_between(body.flow, std::min(at, other), std::max(at, other))) return false;
        if (may_share_meetings(w, body, names, code[other])) return true;
    }
    return false;
}

std::string matrix_mark_text(
    const Work& w, const Body& body, uint32_t at, const Names& names, const Numbers& numbers
) {
    const ptx::Instruction& in = body.function.code[at];
    MatrixText m = matrix_of(body, in);
    if (body.function.marks[static_cast<size_t>(in.mark)].kind != MarkKind::tile)
        return warp_tile_text(names, numbers, m);
    if (may_share_meetings(w, body, names, in)) {
        m.meets_before = !shares_meeting(w, body, names, at, -1);
        m.meets_behind = !shares_meeting(w, body, names, at, 1) && !meets_soon(body.flow, at);
    }
    return block_tile_text(names, numbers, m);
}

Group& group_of(Work& w, const Body& body, Groups& groups, const ptx::Mark& mark) {
    const auto [entry, is_new] = groups.try_emplace({mark.kind, mark.name});
    if (is_new && w.plan.iterations) entry->second.counter = new_register(w, body, ptx::Type::u32, "%wl_n");
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

bool is_of_block(const Work& w, const Body& body, const Instruction& in) {
    if (in.op == ptx::Op::bar) return !w.plan.arrays.empty();
    return in.op == ptx::Op::mark && body.function.marks[static_cast<size_t>(in.mark)].kind == MarkKind::tile;
}

// `of_block`, `of_warps`: which records the function makes.
void begin_names(Work& w, const Body& body, Names& names, bool of_block, bool of_warps) {
    const auto add = [&](ptx::Type type, const char* name) { return new_register(w, body, type, name); };
    names.on = add(ptx::Type::pred, "%wl_on");
    names.warp_on = add(ptx::Type::pred, "%wl_warp_on");
    names.tid = add(ptx::Type::u32, "%wl_tid");
    names.block = add(ptx::Type::u64, "%wl_block");
    names.barrier = w.barrier, names.host_visible = w.plan.host_visible;
    const bool whole_warps = w.plan.threads != 0 && w.plan.threads % 32 == 0;
    if (body.is_entry && of_block && whole_warps) {
        names.threads = w.plan.threads;
        names.tile_next = add(ptx::Type::u64, "%wl_tile_next");
        names.tile_left = add(ptx::Type::u32, "%wl_tile_left");
        names.all_here = add(ptx::Type::pred, "%wl_all_here");
        w.out.dumped.by_blocks = true;
    }
    if (body.is_entry && of_warps) {
        names.warp_next = add(ptx::Type::u64, "%wl_warp_next");
        names.warp_left = add(ptx::Type::u32, "%wl_warp_left");
        w.out.dumped.by_warps = true;
    }
    begin_recording(w, body, names);
}

Numbers numbers_of(const Body& body, uint32_t at, const Group& group) {
    const auto mark = static_cast<size_t>(body.function.code[at].mark);
    return {
        body.first_mark + static_cast<uint32_t>(mark),
        body.first_site + at,
        static_cast<uint32_t>(size_of(body.function.marks[mark].dtype)),
        group.counter};
}

// Takes the registers of a fragment that stand together with the one at `at`, at the last of them, which it
// returns.
uint32_t put_registers(Work& w, const Body& body, uint32_t at, const Names& names, Group& group) {
    std::vector<uint32_t> marks{at};
    const ptx::Mark& mark = body.function.marks[static_cast<size_t>(body.function.code[at].mark)];
    if (mark.kind == MarkKind::fragment) marks = standing_together(body.flow, at);
    RegisterText text = register_of(body, marks);
    if (!text.is_first() || !text.is_last()) {
        if (group.slot.empty()) group.slot = new_register(w, body, ptx::Type::u64, "%wl_slot");
        text.slot = group.slot;
    }
    put_in(w, body, marks.back(), register_text(names, numbers_of(body, marks.back(), group), text));
    return marks.back();
}

// Returns the last instruction that it looked at.
uint32_t put_mark(Work& w, const Body& body, uint32_t at, const Names& names, Groups& groups) {
    const ptx::Mark& mark = body.function.marks[static_cast<size_t>(body.function.code[at].mark)];
    Group& group = group_of(w, body, groups, mark);
    if (mark.kind == MarkKind::fragment || mark.kind == MarkKind::lanes)
        return put_registers(w, body, at, names, group);
    const Numbers numbers = numbers_of(body, at, group);
    put_in(
        w,
        body,
        at,
        mark.kind == MarkKind::stage ? stage_text(names, numbers)
                                     : matrix_mark_text(w, body, at, names, numbers)
    );
    return at;
}

bool is_looked_at(const Work& w, const Body& body, uint32_t at) {
    const Instruction& in = body.function.code[at];
    return in.op == ptx::Op::mark ? is_wanted(w, body.first_mark + static_cast<size_t>(in.mark))
                                  : is_recorded(w, body, at);
}

void instrument_body(Work& w, const Body& body) {
    bool of_block = false, of_warps = false;
    for (uint32_t at = 0; at < body.function.code.size(); ++at) {
        if (!is_looked_at(w, body, at)) continue;
        const Instruction& in = body.function.code[at];
        of_block = of_block || is_of_block(w, body, in);
        of_warps = of_warps || !is_of_block(w, body, in) || w.plan.recording.stores;
    }
    if (!of_block && !of_warps && !body.is_entry) return;
    Groups groups;
    Names names;
    begin_names(w, body, names, of_block, of_warps);
    for (uint32_t at = 0; at < body.function.code.size(); ++at) {
        if (!is_looked_at(w, body, at)) continue;
        if (body.function.code[at].op == ptx::Op::mark)
            at = put_mark(w, body, at, names, groups);
        else
            record_instruction(w, body, at, names, groups);
    }
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
        .listing = listing,
        .plan = plan,
        .out = {module, 0, {.iterations = plan.iterations, .arrays = plan.arrays}, {}}
    };
    std::vector<Body> bodies;
    uint32_t site = 0, mark = 0;
    for (const int f : listing.functions) {
        const ptx::Function& function = module.functions[static_cast<size_t>(f)];
        if (function.is_declaration) continue;
        bodies.push_back(
            {module, function, static_cast<size_t>(f), site, mark, bodies.empty(), flow_of(function)}
        );
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
