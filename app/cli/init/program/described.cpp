// Parameter by parameter: addresses become arrays and views, all else values.
#include "app/cli/init/program/described.h"

#include "app/cli/init/names.h"
#include "app/cli/init/program/memory.h"
#include "app/cli/init/write.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/type_names.h"
#include "instrumentation/execution/reach.h"
#include "instrumentation/ptx/table/effects.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::app {
namespace {

using manifest::Argument;
using manifest::LaunchArgument;

[[noreturn]] void refuse(const Memories& m, const std::string& why) {
    throw Unsupported(fmt::format("{}, launch {}: {}", m.kernel, m.seen->launch.number, why));
}

uint64_t word_at(const ParamView& p, size_t at) {
    uint64_t word = 0;
    std::memcpy(&word, p.bytes.data() + at, sizeof word);
    return word;
}

bool holds_real_numbers(const ParamView& p) {
    const auto named = type_from_name(p.type);
    return named && is_float(named->dtype);
}

// Handles of textures are numbers whose meaning is the program's own.
void require_no_textures(const Memories& m, const ptx::Module& module, const std::vector<ParamView>& params) {
    for (const ParamView& p : params)
        if (p.is_texture)
            refuse(m, p.name + " is a texture or surface object: those of a program are not described");
    const ptx::Function& entry = ptx::entry_of(module, m.seen->launch.entry);
    const auto function = static_cast<int>(&entry - module.functions.data());
    for (const int index : execution::reachable_functions(module, function))
        for (const ptx::Instruction& i : module.functions[static_cast<size_t>(index)].code)
            if (ptx::traits_of(i).memory == ptx::Memory::opaque)
                refuse(m, "it reads or writes textures or surfaces: those of a program are not described");
}

// Members of a struct as the source declares it, where these fill its bytes.
std::vector<ParamView> members_of(const Memories& m, const ParamView& p) {
    const auto found = m.source.structs.find(p.type);
    if (found == m.source.structs.end()) return {};
    std::vector<ParamView> out;
    uint64_t end = 0, widest = 1;
    for (const ParamText& member : found->second) {
        const auto named = type_from_name(member.type);
        const bool pointer = is_pointer_type(member.type);
        if (!pointer && (!named || named->lanes != 1)) return {};
        const uint64_t bytes = pointer ? sizeof(uint64_t) : size_of(named->dtype);
        end = (end + bytes - 1) / bytes * bytes;
        if (end + bytes > p.bytes.size()) return {};
        ParamView& view = out.emplace_back();
        view.name = member.name, view.type = member.type, view.align = bytes;
        const auto begin = p.bytes.begin() + static_cast<int64_t>(end);
        view.bytes = {begin, begin + static_cast<int64_t>(bytes)};
        view.may_be_written = p.may_be_written && !points_to_const(member.type);
        end += bytes, widest = std::max(widest, bytes);
    }
    return (end + widest - 1) / widest * widest == p.bytes.size() ? out : std::vector<ParamView>();
}

// A view of memory that a word of an object leads to.
Argument view_of(Memories& m, const std::string& field, const Target& target, const ArrayHint& hint) {
    Argument view;
    view.name = field;
    view.pointers = {array_at(m, {target.memory, 0}, hint)};
    view.value = fmt::format("{}", target.offset);
    return view;
}

// An object by value that holds addresses, member by member; where the source does not tell these, the bytes
// between the addresses, and views.
Argument with_addresses(Memories& m, const ParamView& p) {
    Argument whole;
    whole.name = p.name;
    for (const ParamView& member : members_of(m, p)) {
        const bool pointer = is_pointer_type(member.type);
        const auto target = pointer ? target_of(m, word_at(member, 0), true) : std::nullopt;
        whole.fields.push_back(
            target ? view_of(
                         m,
                         member.name,
                         *target,
                         {p.name + "_" + member.name, member.type, member.may_be_written, nullptr}
                     )
                   : value_argument(member)
        );
    }
    if (!whole.fields.empty()) return whole;
    Argument out;
    out.name = p.name;
    size_t done = 0;
    const auto plain_until = [&](size_t end) {
        if (end == done) return;
        Argument& piece = out.fields.emplace_back();
        piece.name = fmt::format("at_{}", done);
        set_bytes(
            piece, {p.bytes.begin() + static_cast<int64_t>(done), p.bytes.begin() + static_cast<int64_t>(end)}
        );
        piece.align = 1;
        done = end;
    };
    for (size_t at = 0; at + sizeof(uint64_t) <= p.bytes.size(); at += sizeof(uint64_t)) {
        const auto target = target_of(m, word_at(p, at), false);
        if (!target) continue;
        plain_until(at);
        out.fields.push_back(view_of(
            m,
            fmt::format("at_{}", at),
            *target,
            {fmt::format("{}_{}", p.name, at), "", p.may_be_written, nullptr}
        ));
        done = at + sizeof(uint64_t);
    }
    plain_until(p.bytes.size());
    return out;
}

bool has_addresses(const Memories& m, const ParamView& p) {
    for (size_t at = 0; at + sizeof(uint64_t) <= p.bytes.size(); at += sizeof(uint64_t))
        if (target_of(m, word_at(p, at), false)) return true;
    return false;
}

// One that is passed by several launches of a sequence stands at the top once.
LaunchArgument at_the_top(Memories& m, Argument argument) {
    argument.name = fresh_name(m, argument.name);
    m.out.kernel.args.push_back(argument);
    LaunchArgument out;
    out.of = argument.name;
    return out;
}

LaunchArgument own(Argument argument) {
    LaunchArgument out;
    out.own = std::move(argument);
    return out;
}

LaunchArgument given(Memories& m, const ParamView& p, bool alone) {
    const bool pointer = is_pointer_type(p.type);
    if (p.type.find("(*)") != p.type.npos && p.bytes.size() == 8)
        refuse(m, p.name + " is the address of a function: a manifest has no word for it");
    if (p.bytes.size() == 8 && !holds_real_numbers(p)) {
        const uint64_t word = word_at(p, 0);
        const auto target = target_of(m, word, pointer);
        if (target) {
            LaunchArgument out;
            out.of = argument_at(m, *target, {p.name, p.type, p.may_be_written, &p});
            return out;
        }
        if (pointer && word != 0)
            refuse(
                m,
                fmt::format(
                    "{} is the address {:#x}, at which there is no memory of the program", p.name, word
                )
            );
    }
    if (p.bytes.size() > 8 && !holds_real_numbers(p) && has_addresses(m, p))
        return at_the_top(m, with_addresses(m, p));
    Argument value = value_argument(p);
    if (is_bytes(value) && !p.type.empty())
        m.out.remarks[p.name] = fmt::format("{}, {} bytes as they were passed", p.type, p.bytes.size());
    return alone ? at_the_top(m, std::move(value)) : own(std::move(value));
}

std::string extent(uint32_t n) { return fmt::format("{}", n); }

std::vector<std::string> extents(Dim3 d) {
    std::vector<std::string> out = {extent(d.x)};
    if (d.y > 1 || d.z > 1) out.push_back(extent(d.y));
    if (d.z > 1) out.push_back(extent(d.z));
    return out;
}

void add_launch(Memories& m, const ptx::Module& module, bool alone) {
    const launches::RecordedLaunch& l = m.seen->launch;
    const std::vector<ParamView> params = param_views(*m.seen, module, m.source);
    require_no_textures(m, module, params);
    manifest::LaunchRule rule;
    rule.entry = l.entry, rule.grid = extents(l.grid), rule.block = extents(l.block);
    rule.shared = fmt::format("{}", l.dynamic_shared);
    constexpr uint32_t kDefaultStack = 1024;
    if (l.stack != kDefaultStack) rule.stack = fmt::format("{}", l.stack);
    rule.cooperative = l.cooperative;
    rule.args.emplace();
    // Memory has the name of a parameter that leads to its beginning, if one does.
    for (const ParamView& p : params) {
        if (p.bytes.size() != 8 || holds_real_numbers(p)) continue;
        const auto target = target_of(m, word_at(p, 0), false);
        if (target && target->offset == 0 && !m.arrays.contains(target->memory->base))
            array_at(m, *target, {p.name, p.type, p.may_be_written, &p});
    }
    for (const ParamView& p : params) rule.args->push_back(given(m, p, alone));
    add_symbols(m, module);
    note_left(m);
    m.out.kernel.launches.push_back(std::move(rule));
}

// Arguments in the order of the kernel's parameters, behind them the memory that only views and tables lead
// to.
void order_arguments(Described& out) {
    std::vector<Argument>& args = out.kernel.args;
    const std::vector<LaunchArgument>& given = *out.kernel.launches.front().args;
    const auto place = [&](const Argument& a) {
        return std::find_if(
                   given.begin(), given.end(), [&](const LaunchArgument& g) { return g.of == a.name; }
               ) -
            given.begin();
    };
    std::stable_sort(args.begin(), args.end(), [&](const auto& a, const auto& b) {
        return place(a) < place(b);
    });
    bool same = args.size() == given.size();
    for (size_t i = 0; same && i < args.size(); ++i) same = args[i].name == given[i].of;
    if (same) out.kernel.launches.front().args.reset();
}

}  // namespace

Described described(
    const std::vector<const SeenLaunch*>& launches,
    const ptx::Module& module,
    const SourceText& source,
    const std::string& stem
) {
    Described out;
    Memories m{out, source, stem};
    const bool alone = launches.size() == 1;
    for (const SeenLaunch* seen : launches) {
        m.seen = seen, m.kernel = plain_name(seen->launch.entry);
        add_launch(m, module, alone);
    }
    if (alone) order_arguments(out);
    return out;
}

}  // namespace wl::app
