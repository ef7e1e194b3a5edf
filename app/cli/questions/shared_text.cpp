// A table of regions, maps of characters, and the lanes of an access.
#include "app/cli/questions/at_shared.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/lanes_text.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

using capture::Freshness;
using capture::NamedRegion;
using capture::SharedRun;

constexpr uint32_t kRowBytes = kBanks * kBankBytes;
constexpr int64_t kMostColumns = 128;

std::string counts_text(const FreshnessCounts& c) {
    return fmt::format(
        "{} written this epoch, {} stale, {} in flight, {} never written", c.now, c.stale, c.flying, c.never
    );
}

std::string file_of(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::string shape_text(const SharedAnswer& a, const NamedRegion& r, int index) {
    for (const SharedMatrix& m : a.view.matrices)
        if (m.region == index) return layouts::text_of(m.matrix);
    return fmt::format("{} bytes", r.end - r.begin);
}

std::string name_text(const NamedRegion& r) {
    std::string name = r.name.empty() ? "(no name)" : r.name;
    if (r.warp >= 0) name += fmt::format(" of warp {}", r.warp);
    return r.current ? name : name + ", another time";
}

std::string regions_text(const SharedAnswer& a) {
    size_t widest = 6, shape = 5;
    for (size_t k = 0; k < a.state.regions.size(); ++k) {
        widest = std::max(widest, name_text(a.state.regions[k]).size());
        shape = std::max(shape, shape_text(a, a.state.regions[k], static_cast<int>(k)).size());
    }
    std::string text = fmt::format(
        "  {:<{}}  {:<13}  {:<{}}  {:>7} {:>7} {:>9} {:>7}\n",
        "region",
        widest,
        "bytes",
        "shape",
        shape,
        "now",
        "stale",
        "in flight",
        "never"
    );
    for (size_t k = 0; k < a.state.regions.size(); ++k) {
        const NamedRegion& r = a.state.regions[k];
        const FreshnessCounts c = count_bytes(a.state, r.begin, r.end);
        text += fmt::format(
            "  {:<{}}  {:<13}  {:<{}}  {:>7} {:>7} {:>9} {:>7}\n",
            name_text(r),
            widest,
            fmt::format("{}-{}", r.begin, r.end - 1),
            shape_text(a, r, static_cast<int>(k)),
            shape,
            c.now,
            c.stale,
            c.flying,
            c.never
        );
    }
    return text;
}

// ---- maps

char digit_of(int number) {
    constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
    return number < 0                               ? '.'
        : number < static_cast<int>(kDigits.size()) ? kDigits[static_cast<size_t>(number)]
                                                    : '+';
}

char letter_of(const SharedAnswer& a, const SharedRun& run) {
    const Freshness f = capture::freshness_of(a.state, run);
    if (f == Freshness::never) return '.';
    const capture::SharedWrite& w =
        a.state.writes[static_cast<size_t>(run.flight >= 0 ? run.flight : run.write)];
    switch (a.colour) {
        case SharedColour::warp: return digit_of(w.warp);
        case SharedColour::lane: return digit_of(run.flight >= 0 ? run.flight_lane : run.lane);
        case SharedColour::age: return run.flight >= 0 ? '>' : digit_of(w.epochs_ago);
        case SharedColour::writers: return digit_of(run.writers);
        default: return f == Freshness::flying ? '>' : f == Freshness::now ? '#' : '-';
    }
}

std::string legend(SharedColour by) {
    switch (by) {
        case SharedColour::warp: return "the warp that wrote last (0-9, a-v); . never written";
        case SharedColour::lane: return "the lane that wrote last (0-9, a-v); . never written";
        case SharedColour::age:
            return "epochs since it was written (0-9, a-z, +); > in flight, . never written";
        case SharedColour::writers: return "how many threads wrote there (1-9, a-z, +); . never written";
        default: return "# written this epoch, - stale, > in flight, . never written";
    }
}

std::string physical_text(const SharedAnswer& a, uint32_t begin, uint32_t end) {
    std::string text = "  physical: a row is 128 bytes, a character one of the 32 banks\n";
    std::string last;
    bool skipping = false;
    for (uint32_t row = begin / kRowBytes * kRowBytes; row < end; row += kRowBytes) {
        std::string cells;
        for (uint32_t at = row; at < row + kRowBytes; at += kBankBytes)
            cells +=
                at < begin || at >= end ? ' ' : letter_of(a, telling_run(a.state, a.view, at, kBankBytes));
        const bool same = cells == last && row + kRowBytes < end;
        if (!same) text += fmt::format("{:>8} {}\n", row, cells);
        if (same && !skipping) text += "         ... (as the row above)\n";
        skipping = same, last = cells;
    }
    return text;
}

std::string logical_text(const SharedAnswer& a, const SharedMatrix& m) {
    std::string text = "  logical: a character an element\n";
    const auto size = static_cast<uint32_t>(layouts::bytes_of(m.matrix));
    const int64_t columns = std::min(m.matrix.columns, kMostColumns);
    std::string last;
    bool skipping = false;
    for (int64_t i = 0; i < m.matrix.rows; ++i) {
        std::string cells;
        for (int64_t j = 0; j < columns; ++j)
            cells += letter_of(a, telling_run(a.state, a.view, layouts::byte_of(m.matrix, i, j), size));
        if (columns < m.matrix.columns) cells += " ...";
        const bool same = cells == last && i + 1 < m.matrix.rows;
        if (!same) text += fmt::format("{:>8} {}\n", i, cells);
        if (same && !skipping) text += "         ... (as the row above)\n";
        skipping = same, last = cells;
    }
    return text;
}

std::string values_text(const SharedAnswer& a, const SharedMatrix& m) {
    std::string text = "  values:\n";
    for (int64_t i = 0; i < std::min<int64_t>(m.matrix.rows, 8); ++i) {
        text += fmt::format("{:>8}", i);
        for (int64_t j = 0; j < std::min<int64_t>(m.matrix.columns, 8); ++j)
            text += fmt::format(
                " {:>9.4g}", shared_value(a.state, m.matrix.dtype, layouts::byte_of(m.matrix, i, j))
            );
        text += m.matrix.columns > 8 ? " ...\n" : "\n";
    }
    return text + (m.matrix.rows > 8 ? "         ...\n" : "");
}

// Who wrote the bytes of the region last, most bytes first.
std::string writers_text(const SharedAnswer& a, uint32_t begin, uint32_t end) {
    std::map<std::pair<std::string, bool>, std::pair<uint32_t, uint32_t>> by_place;  // bytes, warps
    for (const SharedRun& r : a.state.runs) {
        const uint32_t first = std::max(begin, r.begin), last = std::min(end, r.begin + r.bytes);
        if (first >= last || r.write < 0) continue;
        const capture::SharedWrite& w = a.state.writes[static_cast<size_t>(r.write)];
        auto& [bytes, warps] = by_place[{w.place, w.copy}];
        bytes += last - first, warps |= 1u << (w.warp % 32);
    }
    std::string text;
    for (const auto& [key, sum] : by_place) {
        std::string warps;
        for (int w = 0; w < 32; ++w)
            if ((sum.second >> w & 1) != 0) warps += fmt::format("{}{}", warps.empty() ? "" : ",", w);
        text += fmt::format(
            "  {} bytes written last at {}{} by warp {}\n",
            sum.first,
            key.first,
            key.second ? " (cp.async)" : "",
            warps
        );
    }
    return text;
}

std::string matrix_text(const SharedAnswer& a, const SharedMatrix& m) {
    const uint32_t begin = m.matrix.begin, end = layouts::end_of(m.matrix);
    std::string from;
    if (m.region >= 0) {
        const NamedRegion& r = a.state.regions[static_cast<size_t>(m.region)];
        if (r.line > 0) from = fmt::format("; {}:{}", file_of(r.file), r.line);
    }
    std::string text =
        fmt::format("\n{}: {}, bytes {}-{}{}\n", m.name, layouts::text_of(m.matrix), begin, end - 1, from);
    text += "  bytes of its elements: " + counts_text(count_bytes(a.state, a.view, m)) + "\n";
    text += writers_text(a, begin, end);
    if (a.colour == SharedColour::value) return text + values_text(a, m);
    return text + "  " + legend(a.colour) + "\n" + logical_text(a, m) + physical_text(a, begin, end);
}

// ---- accesses

std::string element_text(const SharedAnswer& a, uint64_t at) {
    if (!a.touched) return "";
    const auto e = element_at(*a.touched, static_cast<uint32_t>(at));
    if (e) return fmt::format("  {}[{}][{}]", a.touched->name, e->row, e->column);
    const bool inside = at >= a.touched->matrix.begin && at < layouts::end_of(a.touched->matrix);
    return inside ? "  padding" : "";
}

std::string banks_text(const LaneAccesses& r, uint64_t at) {
    const uint32_t first = bank_of_address(at), words = std::max<uint32_t>(r.bytes / kBankBytes, 1);
    return words == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, (first + words - 1) % kBanks);
}

std::string table_text(const SharedAnswer& a, const capture::LineRequest& r, const RequestCost& cost) {
    std::string text;
    for (size_t k = 0; k < cost.phases.size(); ++k) {
        LaneAccesses part = r.accesses;
        part.mask = cost.phases[k];
        text += fmt::format(
            "    phase {}: lanes {}: {} wavefronts\n",
            k,
            lanes_text(cost.phases[k]),
            bank_cost(part).wavefronts
        );
    }
    text += fmt::format(
        "    lane  {:>8}  {:>7}\n", r.global ? "address" : "offset", r.global ? "sector" : "banks"
    );
    for (size_t lane = 0; lane < 32; ++lane) {
        if ((r.accesses.mask >> lane & 1) == 0) continue;
        const uint64_t at = r.accesses.at[lane];
        text += r.global
            ? fmt::format("    {:>4}  {:#x}  {:>7}\n", lane, at, at / kSectorBytes % 10000)
            : fmt::format(
                  "    {:>4}  {:>8}  {:>7}{}\n", lane, at, banks_text(r.accesses, at), element_text(a, at)
              );
    }
    return text;
}

std::string cost_text(const capture::LineRequest& r, const RequestCost& cost) {
    if (r.global)
        return fmt::format("{} sectors of 32 bytes, {} would do", cost.sector.sectors, cost.sector.ideal);
    return fmt::format(
        "{} wavefronts, {} would do; degree {}", cost.bank.wavefronts, cost.bank.ideal, cost.bank.degree
    );
}

// All requests in a line each; the lanes of the most expensive one.
std::string access_text(const SharedAnswer& a) {
    if (a.requests.empty()) return "";
    const auto excess = [](const capture::LineRequest& r) {
        const RequestCost c = cost_of(r);
        return r.global ? c.sector.sectors - c.sector.ideal : c.bank.wavefronts - c.bank.ideal;
    };
    size_t worst = 0;
    for (size_t k = 0; k < a.requests.size(); ++k)
        if (excess(a.requests[k]) > excess(a.requests[worst])) worst = k;
    const capture::LineRequest& first = a.requests.front();
    std::string text = fmt::format(
        "\naccess at {}, by warp {} from time {} on, epoch {}: {} requests\n",
        first.place,
        first.warp,
        first.time,
        first.epoch,
        a.requests.size()
    );
    for (size_t k = 0; k < a.requests.size(); ++k) {
        const capture::LineRequest& r = a.requests[k];
        const RequestCost cost = cost_of(r);
        text += fmt::format(
            "  {} {} memory: {}: {}\n",
            k,
            r.global ? "global" : "shared",
            demangle(r.text),
            cost_text(r, cost)
        );
        if (k == worst) text += table_text(a, r, cost);
    }
    return text;
}

std::string change_text(const SharedAnswer& a) {
    if (!a.change || !a.touched) return "";
    std::string text = fmt::format("\nwhat if {} had {}:\n", a.touched->name, layouts::text_of(*a.change));
    for (size_t k = 0; k < a.requests.size(); ++k) {
        const capture::LineRequest& r = a.requests[k];
        if (r.global) continue;
        const layouts::Changed then = layouts::changed(r.accesses, a.touched->matrix, *a.change);
        text += then.problem.empty()
            ? fmt::format(
                  "  request {}: {} -> {} wavefronts\n", k, cost_of(r).bank.wavefronts, then.cost.wavefronts
              )
            : fmt::format("  request {}: not possible: {}\n", k, then.problem);
    }
    const PatternTotal t = total_of(a.patterns, a.touched->matrix, *a.change);
    text += t.problem.empty()
        ? fmt::format(
              "  all {} requests of the block that touch it: {} -> {} wavefronts, {} would do\n",
              t.requests,
              t.now,
              t.then,
              t.ideal
          )
        : fmt::format(
              "  some of the {} requests that touch it would not be possible: {}\n", t.requests, t.problem
          );
    text += "  " + layouts::advice(a.touched->matrix, *a.change) + "\n";
    if (a.line.line > 0)
        text += fmt::format("  line {}: {}\n  would be: {}\n", a.line.line, a.line.now, a.line.then);
    return text;
}

}  // namespace

std::string shared_text(const SharedAnswer& a) {
    const capture::SharedState& s = a.state;
    const auto bytes = static_cast<uint32_t>(s.values.size());
    std::string text = fmt::format(
        "{}{}: block {}, warp {}, time {}, epoch {}, at {}; simulated by the CPU emulator\n",
        a.kernel,
        a.faults.empty() ? "" : "+" + join(a.faults, "+"),
        s.block,
        s.warp,
        s.time,
        s.epoch,
        s.place.empty() ? "no source line" : s.place
    );
    if (!a.note.empty()) text += a.note + "\n";
    text += fmt::format("shared memory, {} bytes: {}\n", bytes, counts_text(count_bytes(s, 0, bytes)));
    if (a.matrices.empty() && a.requests.empty()) {
        text += regions_text(a) + "\n  " + legend(a.colour) + "\n";
        return text + physical_text(a, 0, bytes);
    }
    for (const SharedMatrix& m : a.matrices) text += matrix_text(a, m);
    return text + access_text(a) + change_text(a);
}

}  // namespace wl::app
