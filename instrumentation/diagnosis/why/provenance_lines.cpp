// Steps by source line; values and places in words.
#include "instrumentation/diagnosis/why/provenance_lines.h"

#include "instrumentation/base/dtype.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/manifest/params.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/ptx/table/names.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace wl::diagnosis {
namespace {

// ---- values

std::string number_text(ptx::Type type, uint64_t bits) {
    std::byte raw[8];
    std::memcpy(raw, &bits, sizeof(raw));
    switch (type) {
        case ptx::Type::f64: return fmt::format("{:g}", to_double(DType::f64, raw));
        case ptx::Type::f32: return fmt::format("{:g}", to_double(DType::f32, raw));
        case ptx::Type::f16: return fmt::format("{:g}", to_double(DType::f16, raw));
        case ptx::Type::bf16: return fmt::format("{:g}", to_double(DType::bf16, raw));
        case ptx::Type::f16x2:
            return fmt::format("{{{:g}, {:g}}}", to_double(DType::f16, raw), to_double(DType::f16, raw + 2));
        case ptx::Type::bf16x2:
            return fmt::format(
                "{{{:g}, {:g}}}", to_double(DType::bf16, raw), to_double(DType::bf16, raw + 2)
            );
        case ptx::Type::pred: return bits != 0 ? "true" : "false";
        default: return fmt::format("0x{:x}", bits);
    }
}

ptx::Type type_of(const ptx::Instruction& in) {
    if (in.types.empty()) return ptx::Type::none;
    return in.op == ptx::Op::cvt || in.op == ptx::Op::mma || in.op == ptx::Op::wmma_mma ? in.types.front()
                                                                                        : in.types.back();
}

// What the step's lane wrote, read behind it.
std::string value_of(travel::Route& route, const travel::SliceStep& s) {
    emulator::Replayer& t = *route.traveller;
    if (!emulator::go_to_nth(t, s.warp, s.nth + 1)) return "";
    const ptx::Instruction& in = *route.instructions[s.site];
    const ptx::Function& f = *route.function_of_site[s.site];
    uint64_t bits = 0;
    if (s.reg >= 0) {
        const auto function =
            static_cast<size_t>(route.functions[static_cast<size_t>(emulator::running_function(t))]);
        if (emulator::here(t).depth != s.depth || &route.module->functions[function] != &f) return "";
        bits = emulator::register_bits(t, 0, f, s.reg)[static_cast<size_t>(s.lane)];
        const ptx::Type declared = f.registers[static_cast<size_t>(s.reg)].type;
        const bool typed =
            declared == ptx::Type::f32 || declared == ptx::Type::f64 || declared == ptx::Type::pred;
        return number_text(typed ? declared : type_of(in), bits);
    }
    std::vector<std::byte> bytes(std::min<uint32_t>(s.bytes, 8));
    if (traits_of(in).memory == ptx::Memory::copy) return "";  // it lands later
    if (!emulator::read_memory(t, {ptx::Space::generic, s.lane, s.address}, bytes)) return "";
    std::memcpy(&bits, bytes.data(), bytes.size());
    return number_text(type_of(in), bits);
}

// ---- places

std::string special_text(const ptx::Operand& o) {
    std::string name =
        ptx::special_name({static_cast<ptx::SpecialRegister>(o.index), static_cast<int>(o.offset)});
    constexpr const char* kNames[][2] = {
        {"%tid.",    "threadIdx."},
        {"%ctaid.",  "blockIdx." },
        {"%ntid.",   "blockDim." },
        {"%nctaid.", "gridDim."  }
    };
    for (const auto& [ptx, source] : kNames)
        if (name.starts_with(ptx)) return source + name.substr(std::string_view(ptx).size());
    return name;
}

// What a step took that is made of nothing else here: "threadIdx.x", "seq", "shared:0x40"; empty: nothing.
std::string taken_by(const Chain& chain, const travel::SliceStep& s) {
    const ptx::Instruction& in = *chain.route.instructions[s.site];
    for (const ptx::Operand& o : in.operands) {
        if (o.kind == ptx::Operand::Kind::special) return special_text(o);
        const bool parameter =
            o.kind == ptx::Operand::Kind::address && o.base_kind == ptx::Operand::Kind::param && s.depth == 0;
        if (!parameter) continue;
        const auto k = static_cast<size_t>(o.index);
        const auto& params = chain.route.function_of_site[s.site]->params;
        const auto given = manifest::parameters(chain.problem);
        return params.size() == given.size() ? given[k]->name : params[k].name;
    }
    return s.read_bytes == 0 ? "" : place_text(chain, s.read_address);
}

// ---- lines

using LineKey = std::tuple<int, int, std::string, std::vector<int>>;

// The instruction at the line of the kernel's authors: what lies in a header of the toolkit speaks for the
// line that calls it.
uint32_t authors_site(const travel::Route& route, uint32_t site) {
    for (int at = static_cast<int>(site); at >= 0;) {
        const capture::Site& s = route.sites[static_cast<size_t>(at)];
        const auto& files = route.module->files;
        if (s.source >= 0 && !is_toolkit_header(files[static_cast<size_t>(s.source)]))
            return static_cast<uint32_t>(at);
        at = s.inlined_at;
    }
    return site;
}

LineKey line_of(const travel::Route& route, uint32_t site) {
    const capture::Site& s = route.sites[authors_site(route, site)];
    std::vector<int> calls;
    for (int at = s.inlined_at; at >= 0; at = route.sites[static_cast<size_t>(at)].inlined_at)
        calls.push_back(route.sites[static_cast<size_t>(at)].line);
    return {s.source, s.line, s.function, calls};
}

void add_once(std::vector<std::string>& texts, const std::string& text) {
    if (!text.empty() && std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

struct Row {
    ProvenanceLine line;
    travel::SliceStep last;
    std::vector<uint32_t> sites;
};

std::vector<Row> rows_of(const Chain& chain, const travel::Slice& slice) {
    std::vector<Row> rows;
    std::map<LineKey, size_t> known;
    for (const travel::SliceStep& s : slice.steps) {
        const LineKey key = line_of(chain.route, s.site);
        const auto [at, fresh] = known.try_emplace(key, rows.size());
        if (fresh) {
            ProvenanceLine& made = rows.emplace_back().line;
            std::tie(made.source, made.line, made.function, made.called_at) = key;
        }
        Row& row = rows[at->second];
        row.line.times += s.times;
        row.line.site = s.site, row.line.warp = s.warp, row.line.lane = s.lane, row.line.order = s.last;
        row.last = s;
        row.sites.push_back(s.site);
        add_once(row.line.instructions, chain.route.instructions[s.site]->mnemonic);
        if (s.read_bytes != 0) row.line.reads = place_text(chain, s.read_address);
        if (s.reg < 0) row.line.writes = place_text(chain, s.address);
    }
    return rows;
}

// ---- what decided

// Does the instruction only name a constant? The compiler moves such to lines that have no part in it.
bool is_constant(const ptx::Instruction& in) {
    return in.op == ptx::Op::mov && in.operands.size() == 2 &&
        (in.operands[1].kind == ptx::Operand::Kind::immediate ||
         in.operands[1].kind == ptx::Operand::Kind::symbol);
}

// One line for each way in which it decided, the one nearest to the step first.
void add_decider(const Chain& chain, ProvenanceLine& line, const travel::Decider& d) {
    if (is_constant(*chain.route.instructions[d.step.site])) return;
    const LineKey key = line_of(chain.route, d.step.site);
    const auto same = [&](const ProvenanceDecider& x) {
        return x.kind == d.kind && LineKey{x.source, x.line, x.function, x.called_at} == key;
    };
    auto found = std::find_if(line.deciders.begin(), line.deciders.end(), same);
    if (found == line.deciders.end()) {
        ProvenanceDecider made;
        made.kind = d.kind;
        std::tie(made.source, made.line, made.function, made.called_at) = key;
        made.site = d.step.site, made.warp = d.step.warp, made.lane = d.step.lane, made.order = d.step.last;
        made.value = value_of(chain.route, d.step);
        found = line.deciders.insert(line.deciders.end(), std::move(made));
    }
    add_once(found->instructions, chain.route.instructions[d.step.site]->mnemonic);
    add_once(found->out_of, taken_by(chain, d.step));
}

// An address that is made of nothing but constants decides nothing.
void drop_fixed_addresses(ProvenanceLine& line) {
    const bool fixed = std::all_of(line.deciders.begin(), line.deciders.end(), [](const auto& d) {
        return d.kind == travel::Decider::Kind::guard || d.out_of.empty();
    });
    if (fixed)
        std::erase_if(line.deciders, [](const auto& d) { return d.kind == travel::Decider::Kind::address; });
}

}  // namespace

std::string place_text(const Chain& chain, uint64_t address) {
    constexpr uint64_t kWindow = 0xff00'0000'0000'0000;
    if ((address & kWindow) == emulator::kLocalBase) return "";
    if ((address & kWindow) == emulator::kSharedBase)
        return fmt::format("shared:{:#x}", address & 0xffff'ffff);
    const auto at = emulator::allocation_at(*chain.route.traveller, address);
    if (!at) return fmt::format("global:{:#x}", address);
    const manifest::BoundArgument* a = array_named(chain.problem, at->first);
    if (a == nullptr) return fmt::format("{} + {}", at->first, at->second);
    const auto index = static_cast<int64_t>(at->second / size_of(a->data.dtype));
    return fmt::format("{}[{}]", a->name, fmt::join(coordinates(a->data.shape, index), ","));
}

std::vector<int64_t> coordinates(const std::vector<int64_t>& shape, int64_t index) {
    std::vector<int64_t> at(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
        at[d] = index % shape[d];
        index /= shape[d];
    }
    return at;
}

const manifest::BoundArgument* array_named(const manifest::Problem& problem, const std::string& name) {
    for (const manifest::BoundArgument& a : problem.args)
        if (a.array && a.name == name) return &a;
    return nullptr;
}

ProvenanceLine place_of_site(const Chain& chain, uint32_t site) {
    ProvenanceLine line;
    std::tie(line.source, line.line, line.function, line.called_at) = line_of(chain.route, site);
    return line;
}

bool same_line(const ProvenanceLine& a, const ProvenanceLine& b) {
    return std::tie(a.source, a.line, a.function, a.called_at) ==
        std::tie(b.source, b.line, b.function, b.called_at);
}

std::vector<ProvenanceLine> lines_of(const Chain& chain, const travel::Slice& slice) {
    std::vector<Row> rows = rows_of(chain, slice);
    std::map<uint32_t, size_t> row_of;
    for (size_t k = 0; k < rows.size(); ++k)
        for (const uint32_t site : rows[k].sites) row_of[site] = k;
    for (size_t k = slice.deciders.size(); k-- > 0;)
        add_decider(chain, rows[row_of.at(slice.deciders[k].of)].line, slice.deciders[k]);
    std::vector<ProvenanceLine> lines;
    for (Row& row : rows) {
        row.line.value = value_of(chain.route, row.last);
        drop_fixed_addresses(row.line);
        lines.push_back(std::move(row.line));
    }
    return lines;
}

}  // namespace wl::diagnosis
