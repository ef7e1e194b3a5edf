// Which element of which block is asked about.
#include "instrumentation/base/dtype.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/why/provenance.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {
namespace {

using capture::Tile;

std::vector<std::string> names_of(const capture::Capture& c) {
    std::vector<std::string> names;
    for (const capture::Probe& p : c.probes) names.push_back(p.name);
    for (const capture::Output& o : c.outputs) names.push_back(o.name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
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

// The element's index; row and col are set where the question leaves them open.
uint64_t index_in(const Tile& t, const Question& q, Asked& asked) {
    asked.row = q.row >= 0 ? q.row : std::max(0, t.first_bad_row);
    asked.col = q.col >= 0 ? q.col : std::max(0, t.first_bad_col);
    return static_cast<uint64_t>(asked.row) * static_cast<uint64_t>(t.cols) +
        static_cast<uint64_t>(asked.col);
}

}  // namespace

std::optional<uint64_t> unrecorded_element(const capture::Capture& c, const Question& q, uint64_t address) {
    const capture::Output* output = output_named(c, q.name);
    if (output == nullptr || address == 0) return std::nullopt;
    const Tile& t = c.tiles[static_cast<size_t>(output->tile)];
    Asked asked;
    const uint64_t byte = index_in(t, q, asked) * size_of(c.probes[static_cast<size_t>(t.probe)].dtype);
    if (asked.row >= t.rows || asked.col >= t.cols || writer_of(c, address + byte) >= 0) return std::nullopt;
    return byte;
}

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
    const uint64_t index = index_in(t, q, asked);
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

}  // namespace wl::diagnosis
