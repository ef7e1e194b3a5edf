// Slices of a block joined with the verdicts of a capture.
#include "instrumentation/diagnosis/provenance.h"

#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <optional>

namespace wl::diagnosis {
namespace {

using capture::Tile;
using travel::Element;
using travel::Taken;

// ---- the question

std::vector<std::string> names_of(const capture::Capture& c) {
    std::vector<std::string> names;
    for (const capture::Probe& p : c.probes) names.push_back(p.name);
    for (const capture::Output& o : c.outputs) names.push_back(o.name);
    return names;
}

const capture::Output* output_named(const capture::Capture& c, const std::string& name) {
    for (const capture::Output& o : c.outputs)
        if (o.name == name && o.tile >= 0) return &o;
    return nullptr;
}

// The block that last wrote the element of an output, among the recorded ones; -1: none of them.
int64_t writer_of(const capture::Capture& c, uint64_t address) {
    int64_t block = -1;
    for (const capture::BlockRecord& r : c.records)
        for (const capture::Event& e : r.events)
            if (e.kind == capture::EventKind::global_write && e.address <= address &&
                address < e.address + e.bytes)
                block = r.block;
    return block;
}

int tile_named(const capture::Capture& c, const Question& q) {
    int best = -1;
    for (size_t k = 0; k < c.tiles.size(); ++k) {
        const Tile& t = c.tiles[k];
        if (t.block < 0 || c.probes[static_cast<size_t>(t.probe)].name != q.name) continue;
        if (t.values == capture::kNoBlob || (q.block >= 0 && t.block != q.block)) continue;
        if (q.iteration >= 0 && t.iteration != q.iteration) continue;
        if (q.warp >= 0 && t.warp >= 0 && t.warp != q.warp) continue;
        const bool wrong = best >= 0 && c.tiles[static_cast<size_t>(best)].verdict == capture::Verdict::bad;
        const bool later = best < 0 || t.iteration > c.tiles[static_cast<size_t>(best)].iteration;
        if (best < 0 || (!wrong && (later || t.verdict == capture::Verdict::bad))) best = static_cast<int>(k);
    }
    return best;
}

void require_known(const capture::Capture& c, const Question& q) {
    const std::vector<std::string> names = names_of(c);
    if (std::find(names.begin(), names.end(), q.name) != names.end()) return;
    const std::string near = nearest_word(q.name, names);
    throw Error(fmt::format(
        "the capture has no tile or output {}; {}",
        q.name,
        near.empty() ? "there are " + join(names, ", ") : "did you mean " + near + "?"
    ));
}

// ---- elements

struct Reader {
    const capture::Capture& c;
    std::map<int, analysis::TileData> loaded{};

    TileElement element(int tile, int row, int col) {
        TileElement e{
            tile, row, col, 0, std::numeric_limits<double>::quiet_NaN(), 0, TileElement::State::unknown, 0};
        const auto [at, fresh] = loaded.try_emplace(tile);
        if (fresh) at->second = analysis::load_tile(c, c.tiles[static_cast<size_t>(tile)]);
        const analysis::TileData& t = at->second;
        if (row >= t.rows || col >= t.cols) return e;
        e.got = t.got(row, col);
        if (t.reference.rows == 0 || t.bound.rows == 0) return e;
        e.reference = t.reference(row, col);
        e.bound = double{t.bound(row, col)};
        if (!std::isnan(e.reference))
            e.state = analysis::is_bad(e.got, e.reference, t.bound(row, col)) ? TileElement::State::wrong
                                                                              : TileElement::State::right;
        return e;
    }
};

// The capture's tile that a mark of the block gave; -1: it was not kept.
std::vector<int> tiles_of(const capture::Capture& c, const std::vector<Taken>& taken, int64_t block) {
    std::map<std::tuple<std::string, int, int>, int> known;
    for (size_t k = 0; k < c.tiles.size(); ++k) {
        const Tile& t = c.tiles[k];
        if (t.block == block && t.values != capture::kNoBlob)
            known[{c.probes[static_cast<size_t>(t.probe)].name, t.iteration, t.warp}] = static_cast<int>(k);
    }
    std::vector<int> out;
    for (const Taken& t : taken) {
        const auto found = known.find({t.name, t.tile.iteration, t.tile.warp});
        out.push_back(found == known.end() ? -1 : found->second);
    }
    return out;
}

// ---- lines

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
    emulator::Traveller& t = *route.traveller;
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
    if (in.op == ptx::Op::cp_async) return "";  // it lands later
    if (!emulator::read_memory(t, {ptx::Space::generic, s.lane, s.address}, bytes)) return "";
    std::memcpy(&bits, bytes.data(), bytes.size());
    return number_text(type_of(in), bits);
}

using LineKey = std::tuple<int, int, std::string, std::vector<int>>;

LineKey line_of(const travel::Route& route, uint32_t site) {
    const capture::Site& s = route.sites[site];
    std::vector<int> calls;
    for (int at = s.inlined_at; at >= 0; at = route.sites[static_cast<size_t>(at)].inlined_at)
        calls.push_back(route.sites[static_cast<size_t>(at)].line);
    return {s.source, s.line, s.function, calls};
}

std::vector<ProvenanceLine> lines_of(travel::Route& route, const travel::Slice& all) {
    std::vector<ProvenanceLine> lines;
    std::map<LineKey, size_t> known;
    std::vector<travel::SliceStep> last;
    for (const travel::SliceStep& s : all.steps) {
        const LineKey key = line_of(route, s.site);
        const auto [at, fresh] = known.try_emplace(key, lines.size());
        if (fresh) {
            ProvenanceLine& made = lines.emplace_back();
            std::tie(made.source, made.line, made.function, made.called_at) = key;
            last.emplace_back();
        }
        ProvenanceLine& line = lines[at->second];
        line.times += s.times;
        line.site = s.site, line.warp = s.warp, line.lane = s.lane, line.order = s.last;
        last[at->second] = s;
        const std::string& text = route.instructions[s.site]->mnemonic;
        auto& texts = line.instructions;
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
    }
    for (size_t k = 0; k < lines.size(); ++k) lines[k].value = value_of(route, last[k]);
    return lines;
}

// ---- inputs

std::vector<int64_t> coordinates(const std::vector<int64_t>& shape, int64_t index) {
    std::vector<int64_t> at(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
        at[d] = index % shape[d];
        index /= shape[d];
    }
    return at;
}

ProvenanceInput input_of(const travel::SliceInput& in, const manifest::Problem& problem) {
    ProvenanceInput out;
    out.memory = in.memory;
    out.first_byte = in.first, out.last_byte = in.last, out.bytes = in.bytes;
    out.uninitialised = in.memory == "shared" || in.memory == "local";
    for (const manifest::BoundArgument& a : problem.args) {
        if (!a.array || a.name != in.memory) continue;
        const uint64_t size = size_of(a.data.dtype);
        out.elements = (in.bytes + size - 1) / size;
        out.first = coordinates(a.data.shape, static_cast<int64_t>(in.first / size));
        out.last = coordinates(a.data.shape, static_cast<int64_t>(in.last / size));
        out.uninitialised = a.output && !a.filled;
    }
    return out;
}

bool same_line(const ProvenanceLine& a, const ProvenanceLine& b) {
    return std::tie(a.source, a.line, a.function, a.called_at) ==
        std::tie(b.source, b.line, b.function, b.called_at);
}

// What lies between a wrong element and the right ones before it. Such a line is shown as it was executed
// there, not as it was later.
void mark_suspects(
    travel::Route& route,
    const std::vector<Taken>& taken,
    const travel::SliceOptions& options,
    std::vector<ProvenanceLine>& lines
) {
    for (const ProvenanceLine& there : lines_of(route, travel::slice(route, taken, options)))
        for (ProvenanceLine& line : lines) {
            if (!same_line(line, there)) continue;
            line.suspect = true;
            line.site = there.site, line.warp = there.warp, line.lane = there.lane;
            line.order = there.order, line.value = there.value;
        }
}

}  // namespace

Asked resolve(const capture::Capture& c, const Question& q, uint64_t address) {
    require_known(c, q);
    Asked asked;
    const capture::Output* output = output_named(c, q.name);
    asked.tile = output != nullptr ? output->tile : tile_named(c, q);
    if (asked.tile < 0)
        throw Error(fmt::format(
            "the capture keeps no elements of {} there; `warplens tiles` lists what it keeps, and `--record "
            "X,Y,Z` of "
            "`warplens run` keeps those of a block",
            q.name
        ));
    const Tile& t = c.tiles[static_cast<size_t>(asked.tile)];
    asked.row = q.row >= 0 ? q.row : std::max(0, t.first_bad_row);
    asked.col = q.col >= 0 ? q.col : std::max(0, t.first_bad_col);
    if (asked.row >= t.rows || asked.col >= t.cols)
        throw Error(fmt::format(
            "{}[{},{}] lies outside: {} has {} x {} elements",
            q.name,
            asked.row,
            asked.col,
            q.name,
            t.rows,
            t.cols
        ));
    asked.block = t.block;
    if (output == nullptr) return asked;
    const auto index =
        static_cast<uint64_t>(asked.row) * static_cast<uint64_t>(t.cols) + static_cast<uint64_t>(asked.col);
    const size_t size = size_of(c.probes[static_cast<size_t>(t.probe)].dtype);
    asked.block = q.block >= 0 ? q.block : writer_of(c, address + index * size);
    if (asked.block < 0)
        throw Error(fmt::format(
            "no recorded block writes {}[{},{}]; name the block that does with --block X,Y,Z",
            q.name,
            asked.row,
            asked.col
        ));
    return asked;
}

Provenance provenance(const Chain& chain, const Asked& asked) {
    travel::Route& route = chain.route;
    Reader reader{chain.capture};
    Provenance out;
    out.asked = reader.element(asked.tile, asked.row, asked.col);
    const std::vector<Taken> taken = travel::take_tiles(route);
    const std::vector<int> captured = tiles_of(chain.capture, taken, asked.block);

    travel::SliceOptions options;
    const Tile& tile = chain.capture.tiles[static_cast<size_t>(asked.tile)];
    const capture::Probe& probe = chain.capture.probes[static_cast<size_t>(tile.probe)];
    options.from.row = asked.row, options.from.col = asked.col;
    if (tile.block < 0) {
        const auto argument = emulator::allocation_named(*route.traveller, probe.name);
        if (!argument) throw Error("the kernel has no argument " + probe.name);
        options.from.bytes = static_cast<uint32_t>(size_of(probe.dtype));
        options.from.address = argument->first +
            (static_cast<uint64_t>(asked.row) * static_cast<uint64_t>(tile.cols) +
             static_cast<uint64_t>(asked.col)) *
                options.from.bytes;
    } else {
        const auto found = std::find(captured.begin(), captured.end(), asked.tile);
        if (found == captured.end()) throw Error("the block did not take the tile " + probe.name + " again");
        options.from.tile = static_cast<int>(found - captured.begin());
    }
    const travel::Slice all = travel::slice(route, taken, options);
    std::optional<Element> first_wrong;
    for (const Element& e : all.elements) {
        const int k = captured[static_cast<size_t>(e.tile)];
        if (k < 0 || (k == asked.tile && e.row == asked.row && e.col == asked.col)) continue;
        TileElement element = reader.element(k, e.row, e.col);
        element.order = taken[static_cast<size_t>(e.tile)].order;
        if (!first_wrong && element.state == TileElement::State::wrong) {
            first_wrong = e;
            out.first_wrong = static_cast<int>(out.elements.size());
        }
        out.elements.push_back(element);
    }
    out.lines = lines_of(route, all);
    for (const travel::SliceInput& in : all.inputs) out.inputs.push_back(input_of(in, chain.problem));
    out.not_followed = all.not_followed;

    const auto is_right = [&](const Element& e) {
        const int k = captured[static_cast<size_t>(e.tile)];
        return k >= 0 && reader.element(k, e.row, e.col).state == TileElement::State::right;
    };
    if (first_wrong) options.from = *first_wrong;
    options.ends_at = is_right;
    if (first_wrong || out.asked.state == TileElement::State::wrong)
        mark_suspects(route, taken, options, out.lines);
    std::sort(out.lines.begin(), out.lines.end(), [](const ProvenanceLine& a, const ProvenanceLine& b) {
        return a.order < b.order;
    });
    return out;
}

}  // namespace wl::diagnosis
