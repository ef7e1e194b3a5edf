// Wording of findings.
#include "instrumentation/diagnosis/rules/places.h"

#include "instrumentation/base/block_text.h"
#include "instrumentation/base/toolkit_header.h"
#include "instrumentation/emulator/lower/check.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace wl::diagnosis {

namespace {

std::string line_of(const capture::Capture& c, const capture::Where& w) {
    for (const capture::Source& s : c.sources) {
        if (s.path != w.file) continue;
        std::istringstream text(s.text);
        std::string line;
        for (int n = 0; n < w.line && std::getline(text, line); ++n) {}
        const size_t begin = line.find_first_not_of(" \t"), comment = line.find("//");
        if (begin == std::string::npos) return {};
        line = line.substr(
            begin, comment == std::string::npos || comment <= begin ? std::string::npos : comment - begin
        );
        return line.substr(0, line.find_last_not_of(" \t\r") + 1);
    }
    return {};
}

bool near(double a, double b) { return std::fabs(a - b) <= 1e-4 * std::fabs(b); }

}  // namespace

int32_t user_location(const ptx::Module& m, int32_t location) {
    int32_t at = location;
    while (at >= 0) {
        const ptx::Location& l = m.locations[static_cast<size_t>(at)];
        if (l.file >= 0 && !is_toolkit_header(m.files[static_cast<size_t>(l.file)])) return at;
        at = l.inlined_at;
    }
    return location;
}

std::optional<CodePlace> code_place(const ptx::Module& module, const ptx::Function& entry, uint32_t site) {
    const auto first = static_cast<int>(&entry - module.functions.data());
    if (site < entry.code.size()) return CodePlace{static_cast<size_t>(first), site};
    for (const int function : emulator::reachable_functions(module, first)) {
        const auto f = static_cast<size_t>(function);
        const auto size = static_cast<uint32_t>(module.functions[f].code.size());
        if (site < size) return CodePlace{f, site};
        site -= size;
    }
    return {};
}

capture::Where where_in(const ptx::Module& m, int32_t location) {
    capture::Where w;
    if (location < 0) return w;
    const ptx::Location& l = m.locations[static_cast<size_t>(location)];
    if (l.file >= 0) w.file = m.files[static_cast<size_t>(l.file)];
    w.line = l.line;
    return w;
}

capture::Where where_of(const ptx::Module& m, const ptx::Function& entry, uint32_t site) {
    const auto at = code_place(m, entry, site);
    if (!at) return {};
    return where_in(m, user_location(m, m.functions[at->function].code[at->index].location));
}

capture::Where where_of(const Symptoms& s, uint32_t site) {
    return where_of(s.experiment.module, s.entry, site);
}

capture::Where where_of(const Symptoms& s, const ptx::Place& place) {
    return where_in(
        s.experiment.module, user_location(s.experiment.module, instruction_at(s, place).location)
    );
}

const ptx::Instruction& instruction_at(const Symptoms& s, const ptx::Place& place) {
    return s.experiment.module.functions[place.function].code[place.at];
}

std::vector<ptx::Places> lines_with(
    const Symptoms& s, const std::function<bool(const ptx::Instruction&)>& is_wanted
) {
    const ptx::Module& m = s.experiment.module;
    return ptx::group_by_line(m, ptx::select(m, s.functions, is_wanted));
}

capture::Where where_of_probe(const Symptoms& s, const capture::Probe& probe) {
    return probe.site < 0 ? capture::Where{} : where_of(s, static_cast<uint32_t>(probe.site));
}

capture::Where where_of_call(const Symptoms& s, uint32_t site) {
    capture::Where w = where_of(s, site);
    const ptx::Module& m = s.experiment.module;
    const auto at = code_place(m, s.entry, site);
    if (!at) return w;
    const int32_t location = user_location(m, m.functions[at->function].code[at->index].location);
    if (location < 0 || m.locations[static_cast<size_t>(location)].inlined_at < 0) return w;
    const ptx::Location& call =
        m.locations[static_cast<size_t>(m.locations[static_cast<size_t>(location)].inlined_at)];
    if (call.file >= 0) w.file = m.files[static_cast<size_t>(call.file)], w.line = call.line;
    return w;
}

capture::Where where_of_access(const Symptoms& s, const emulator::Access& a) {
    capture::Where w = where_of(s, a.site);
    w.block = a.block, w.warp = a.warp, w.lanes = lanes_text(a.lanes), w.epoch = a.epoch;
    return w;
}

bool same_line(const capture::Where& a, const capture::Where& b) {
    return a.line == b.line && a.file == b.file;
}

bool same_lines(
    const capture::Where& a, const capture::Where& b, const capture::Where& c, const capture::Where& d
) {
    return (same_line(a, c) && same_line(b, d)) || (same_line(a, d) && same_line(b, c));
}

std::string place(const capture::Where& w) {
    return w.line > 0 ? fmt::format("{}:{}", w.file, w.line) : "an unknown line";
}

std::string quoted(const capture::Capture& c, const capture::Where& w) {
    const std::string line = line_of(c, w);
    return line.empty() ? place(w) : fmt::format("{} (`{}`)", place(w), line);
}

std::string block_text(const capture::Capture& c, int64_t block) {
    return block_text(std::max<int64_t>(block, 0), c.launch.grid);
}

std::string number(double value) { return fmt::format("{:.4g}", value); }

std::string away_text(const Trial& t) {
    std::string out;
    if (t.bad > t.bad_infinite) out += ", by up to " + number(t.max_bad);
    if (t.bad_infinite > 0) out += fmt::format(", {} of them NaN or infinite", t.bad_infinite);
    return out;
}

std::string factor_text(const Symptoms& s, double factor) {
    constexpr double kByChance = 4;  // some parameter or its root is as small
    std::string bare = number(factor);
    const double large = std::max(factor, 1 / factor);
    if (large <= kByChance && near(large, std::round(large))) return bare;
    if (near(factor, 32) || near(factor, 1.0 / 32))
        return bare + (factor > 1 ? " = warp size" : " = 1 / warp size");
    for (const auto& [name, value] : s.capture.launch.params) {
        if (value <= 1) continue;
        if (near(factor, 1 / std::sqrt(value))) return fmt::format("{} = 1/sqrt({})", bare, name);
        if (near(factor, std::sqrt(value))) return fmt::format("{} = sqrt({})", bare, name);
    }
    const double warps = std::ceil(static_cast<double>(count(s.capture.launch.block)) / 32);
    if (near(factor, warps)) return bare + " = warps of a block";
    if (near(factor, 1 / warps)) return bare + " = 1 / warps of a block";
    for (const auto& [name, value] : s.capture.launch.params) {
        if (value > 1 && near(factor, value)) return fmt::format("{} = {}", bare, name);
        if (value > 1 && near(factor, 1 / value)) return fmt::format("{} = 1/{}", bare, name);
    }
    if (near(factor, std::log2(std::exp(1.0)))) return bare + " = log2(e)";
    if (near(factor, std::log(2.0))) return bare + " = ln(2)";
    return bare;
}

void add_sentence(std::string& text, const std::string& sentence) {
    text += (text.empty() || sentence.empty() ? "" : " ") + sentence;
}

std::optional<MarkedElement> element_at(const capture::Capture& c, int64_t block, uint64_t address) {
    for (const capture::Tile& t : c.tiles) {
        if (t.block != block || t.ld <= 0 || t.probe < 0) continue;
        const capture::Probe& p = c.probes[static_cast<size_t>(t.probe)];
        if (p.memory != "shared" || address < t.address) continue;
        const uint64_t element = (address - t.address) / size_of(p.dtype);
        const auto row = static_cast<int>(element / static_cast<uint64_t>(t.ld)),
                   col = static_cast<int>(element % static_cast<uint64_t>(t.ld));
        if (row < t.rows && col < t.cols) return MarkedElement{p.name, row, col};
    }
    return std::nullopt;
}

std::string text_of(const MarkedElement& e) { return fmt::format("{}[{},{}]", e.tile, e.row, e.col); }

}  // namespace wl::diagnosis
