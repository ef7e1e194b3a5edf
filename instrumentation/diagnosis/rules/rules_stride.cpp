// wrong_leading_dimension: a fragment loaded or stored with another distance between rows than its matrix
// has.
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/definitions.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/written_rows.h"
#include "instrumentation/ptx/edit/edit.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using ptx::Op;
using Kind = ptx::Operand::Kind;

constexpr size_t kStride = 2;      // its operand in wmma.load and wmma.store
constexpr size_t kMaxTrials = 24;  // strides tried, over all lines

// The stride where it is a constant; 0: it is computed.
int64_t stride_of(const ptx::Function& f, const Definitions& defs, const ptx::Instruction& i) {
    const ptx::Operand* at = &i.operands[kStride];
    if (at->kind == Kind::reg && defs[static_cast<size_t>(at->index)].size() == 1) {
        const ptx::Instruction& mov = f.code[defs[static_cast<size_t>(at->index)].front()];
        if (mov.op == Op::mov && mov.operands.size() == 2) at = &mov.operands[1];
    }
    return at->kind == Kind::immediate ? static_cast<int64_t>(at->bits) : 0;
}

// Bytes of an element of the matrix in memory.
uint64_t element_bytes(const ptx::Instruction& i) {
    switch (i.types.front()) {
        case ptx::Type::f16:
        case ptx::Type::bf16: return 2;
        case ptx::Type::f32:
        case ptx::Type::s32:
        case ptx::Type::tf32: return 4;
        case ptx::Type::f64: return 8;
        default: return 1;
    }
}

// A distance that occurs in this block: how rows were written, else how a tile lies in memory.
struct Candidate {
    int64_t stride = 0;
    bool written = false;
    capture::Where writer;  // line 0: rows so far apart were written at several lines
};

std::vector<Candidate> candidates(
    const Symptoms& s, const std::vector<WrittenRows>& written, const ptx::Instruction& access, int64_t now
) {
    std::vector<Candidate> out;
    const uint64_t size = element_bytes(access);
    const auto known = [&](int64_t stride) {
        return std::find_if(out.begin(), out.end(), [&](const Candidate& c) { return c.stride == stride; });
    };
    for (const WrittenRows& w : written) {
        const auto stride = static_cast<int64_t>(w.pitch / size);
        if (w.pitch % size != 0 || stride == now) continue;
        const capture::Where writer = where_of(s, w.site);
        const auto it = known(stride);
        if (it == out.end()) {
            out.push_back({stride, true, writer});
        } else if (it->writer.line != writer.line) {
            it->writer = {};
        }
    }
    for (const capture::Tile& t : s.capture.tiles) {
        if (t.block == s.block && t.ld > 1 && t.ld != now && known(t.ld) == out.end())
            out.push_back({t.ld, false, {}});
    }
    return out;
}

std::optional<ptx::Module> with_stride(const Symptoms& s, const ptx::Places& line, int64_t stride) {
    ptx::Module edited = s.experiment.module;
    ptx::Operand immediate;
    immediate.kind = Kind::immediate, immediate.bits = static_cast<uint64_t>(stride);
    if (!ptx::set_operand(edited, line, kStride, immediate)) return std::nullopt;
    return edited;
}

struct Mended {
    ptx::Place at;
    int64_t was = 0;
    Candidate now;
    Verdict verdict;
};

std::optional<Mended> search(const Symptoms& s) {
    const std::vector<ptx::Places> lines = lines_with(s, [](const ptx::Instruction& i) {
        return (i.op == Op::wmma_load || i.op == Op::wmma_store) && i.operands.size() > kStride;
    });
    if (lines.empty()) return std::nullopt;
    const std::vector<WrittenRows> written = written_rows(s);
    size_t trials = 0;
    for (const ptx::Places& line : lines) {
        const ptx::Function& f = s.experiment.module.functions[line.front().function];
        const ptx::Instruction& first = instruction_at(s, line.front());
        const int64_t was = stride_of(f, definitions(f), first);
        for (const Candidate& c : candidates(s, written, first, was)) {
            if (trials++ == kMaxTrials) return std::nullopt;
            std::optional<ptx::Module> edited = with_stride(s, line, c.stride);
            if (!edited) continue;
            Verdict verdict = prove(s, {.program = std::move(edited)});
            if (verdict.mends) return Mended{line.front(), was, c, std::move(verdict)};
        }
    }
    return std::nullopt;
}

capture::Finding describe(const Symptoms& s, const Mended& m) {
    const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(s.first_bad)];
    const capture::Probe& probe = s.capture.probes[static_cast<size_t>(tile.probe)];
    const bool load = instruction_at(s, m.at).op == Op::wmma_load;
    capture::Finding f;
    f.rule = "wrong_leading_dimension";
    f.evidence_kind = m.verdict.proven ? capture::EvidenceKind::proven : capture::EvidenceKind::fit;
    f.where = where_of(s, m.at);
    f.where.tile = probe.name, f.where.block = tile.block, f.where.iteration = tile.iteration;
    f.where.element[0] = tile.first_bad_row, f.where.element[1] = tile.first_bad_col;
    f.other = m.now.writer;
    const std::string was = m.was > 0 ? std::to_string(m.was) : "another";
    f.title = load && m.now.written
        ? fmt::format("matrix written with leading dimension {}, read with {}", m.now.stride, was)
        : fmt::format(
              "fragment {} with leading dimension {} instead of {}",
              load ? "loaded" : "stored",
              was,
              m.now.stride
          );
    f.explanation = fmt::format(
        "{} takes row r of its fragment {} r elements after row 0, but ", quoted(s.capture, f.where), was
    );
    f.explanation += m.now.writer.line > 0
        ? fmt::format("{} wrote the rows {} elements apart", quoted(s.capture, f.other), m.now.stride)
        : fmt::format("the rows lie {} elements apart", m.now.stride);
    f.explanation += fmt::format(
        ": from the second row on it touches other elements, and {} is the first tile that is wrong. Give it "
        "the "
        "leading dimension {}.",
        probe.name,
        m.now.stride
    );
    f.proof =
        fmt::format("with leading dimension {} at {}, {}", m.now.stride, place(f.where), m.verdict.text);
    f.evidence = {
        {"leading_dimension", static_cast<double>(m.was)       },
        {"should_be",         static_cast<double>(m.now.stride)},
        {"bad",               static_cast<double>(tile.bad)    }
    };
    capture::add_ran(m.verdict.ran, f);
    return f;
}

}  // namespace

Ruled stride_rule(const Symptoms& s) {
    if (s.first_bad < 0) return {};
    const std::optional<Mended> m = search(s);
    if (!m) return {};
    const capture::Finding f = describe(s, *m);
    return {{f}, true, is_proven(f)};
}

}  // namespace wl::diagnosis
