#include "instrumentation/diagnosis/search/constant_reads.h"

#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/prove/device_trials.h"
#include "instrumentation/diagnosis/prove/watch.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace wl::diagnosis {

namespace {

constexpr uint64_t kMostInstructions = 2'000'000;  // of warps
constexpr size_t kFewest = 64;                     // values of a read

// Lines of the text that the change begins an expression with a subscript in.
std::set<int> lines_of(const std::string& text, const rewrite::Rewrite& change) {
    std::set<int> out;
    for (const rewrite::Edit& edit : change.edits) {
        if (edit.text.find('[') == edit.text.npos) continue;
        const auto end = text.begin() + static_cast<std::ptrdiff_t>(edit.begin);
        out.insert(1 + static_cast<int>(std::count(text.begin(), end, '\n')));
    }
    return out;
}

// Of a module that was compiled of the unit's text: loads of numbers of 32 bits from memory that others see,
// by site, with their lines.
std::map<uint32_t, int> loads_of(
    const ptx::Module& module, const std::string& entry, const compile::Unit& unit, const std::set<int>& lines
) {
    const auto program = emulator::lower(module, entry);
    const std::vector<capture::Site> sites = emulator::sites(*program);
    std::map<uint32_t, int> out;
    for (uint32_t site = 0; site < sites.size(); ++site) {
        const std::string_view text = sites[site].text;
        const auto has = [&](const char* word) { return text.find(word) != text.npos; };
        const bool number = has(".f32 ") || has(".u32 ") || has(".s32 ") || has(".b32 ");
        const bool load = has("ld.") && number && !has(".v2") && !has(".v4");
        const int line = sites[site].line, source = sites[site].source;
        if (!load || has(".local") || has(".param") || has(".const") || !lines.contains(line) || source < 0)
            continue;
        const auto file = static_cast<size_t>(source) < module.files.size()
            ? compile::file_named(unit, module.files[static_cast<size_t>(source)])
            : std::nullopt;
        if (file == size_t{0}) out.emplace(site, line);
    }
    return out;
}

struct Read {
    size_t values = 0;
    uint32_t first = 0;
    bool same = true;
};

// What each of these loads gives, by site; empty: not known.
std::map<uint32_t, Read> values_of(
    const Watched& w, const ptx::Module& module, const std::map<uint32_t, int>& loads, uint64_t seed
) {
    const auto program = emulator::lower(module, w.prover.experiment.entry);
    std::map<uint32_t, Read> out;
    Looks looks;
    looks.after = [&](emulator::Warp& warp, const emulator::Instr* i, uint32_t site) {
        if (!loads.contains(site)) return;
        const auto* values = emulator::cells<uint32_t>(warp, i->r[0]);
        Read& read = out[site];
        for (uint32_t lanes = warp.mask; lanes != 0; lanes &= lanes - 1) {
            const uint32_t value = values[std::countr_zero(lanes)];
            if (read.values++ == 0) read.first = value;
            read.same = read.same && value == read.first;
        }
    };
    const std::vector<int64_t> all;
    const int64_t done = watch(w.prover, {module, *program, seed, all, kMostInstructions}, looks);
    return done > 0 ? out : std::map<uint32_t, Read>{};
}

// Those loads that give one number, with the own data and with another draw; by site, at how many places.
std::map<uint32_t, size_t> constants_of(
    const Watched& w, const ptx::Module& module, const std::map<uint32_t, int>& loads, uint64_t other_seed
) {
    std::map<uint32_t, size_t> out;
    const std::map<uint32_t, Read> own = values_of(w, module, loads, 0);
    const auto is_constant = [](const auto& r) { return r.second.same && r.second.values >= kFewest; };
    if (std::none_of(own.begin(), own.end(), is_constant)) return out;
    const std::map<uint32_t, Read> others = values_of(w, module, loads, other_seed);
    for (const auto& each : own) {
        const auto other = others.find(each.first);
        const bool same = is_constant(each) && other != others.end() && other->second.same;
        if (same && other->second.first == each.second.first) out.emplace(each.first, each.second.values);
    }
    return out;
}

}  // namespace

std::string constant_reads(const Watched& w, const Changed& changed, uint64_t other_seed) {
    const Experiment& e = w.prover.experiment;
    if (tries_on_device(e) || manifest::is_sequence(e.problem)) return {};
    const std::set<int> lines = lines_of(w.unit.text, changed.change);
    if (lines.empty()) return {};
    try {
        const ptx::Module unchanged = changed_module(e, w.unit.text);
        const auto loads = loads_of(changed.module, e.entry, w.unit, lines),
                   known = loads_of(unchanged, e.entry, w.unit, lines);
        if (loads.size() <= known.size()) return {};
        const auto now = constants_of(w, changed.module, loads, other_seed);
        if (now.size() <= constants_of(w, unchanged, known, other_seed).size()) return {};
        const auto& [site, places] = *now.begin();
        return fmt::format(
            "what it reads at line {} is the same number at all of {} places, with other data too",
            where_in(w.unit, loads.at(site)).line,
            places
        );
    } catch (const Error&) { return {}; } catch (const Unsupported&) {
        return {};
    }
}

}  // namespace wl::diagnosis
