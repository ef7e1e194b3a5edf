// Conflicts by source line, worst first, with what would remove them.
#include "app/cli/banks.h"

#include "app/cli/executors.h"
#include "app/cli/progress.h"
#include "app/cli/questions/again.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/block_text.h"
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/verdict.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace wl::app {

namespace {

using analysis::AccessLine;
using capture::AccessSite;
using diagnosis::BankReport;

double per_request(uint64_t cost, const AccessSite& s) {
    return static_cast<double>(cost) / static_cast<double>(s.requests);
}

// "kernels/v2b.cu:76, inlined at line 184".
std::string place(const BankReport& r, const AccessLine& l) {
    if (l.line == 0) return "unknown line";
    std::string out = fmt::format("{}:{}", file_of(r, l.source), l.line);
    for (const int call : l.inlined_at) out += fmt::format(", inlined at line {}", call);
    return out;
}

// "block (0,0,0), warp 0: lanes 0 and 16 meet in bank 4, at offsets 0x10 and 0x90".
std::string witness_text(const BankReport& r, const AccessSite& s) {
    constexpr size_t kMost = 8;
    const BankCost cost = bank_cost(s.witness.accesses);
    if (passes_l1(s.witness.accesses))
        return fmt::format(
            "block {}, warp {}: {} wavefronts for lines of 128 bytes that its quarter-warps read and write",
            block_text(s.witness.block, r.about.launch.grid),
            s.witness.warp,
            s.witness.cost
        );
    const std::vector<int> lanes = lanes_of(cost.lanes);
    std::string names, offsets;
    for (size_t k = 0; k < std::min(lanes.size(), kMost); ++k) {
        names += fmt::format("{}{}", k == 0 ? "" : ", ", lanes[k]);
        offsets +=
            fmt::format("{}{:#x}", k == 0 ? "" : ", ", s.witness.accesses.at[static_cast<size_t>(lanes[k])]);
    }
    const std::string more = lanes.size() > kMost ? ", ..." : "";
    return fmt::format(
        "block {}, warp {}: lanes {}{} of one phase meet in bank {}, at offsets {}{}",
        block_text(s.witness.block, r.about.launch.grid),
        s.witness.warp,
        names,
        more,
        cost.bank,
        offsets,
        more
    );
}

// "st.shared.f32 [%rd136+46080], %f181; and 15 more".
std::string instruction_text(const BankReport& r, const AccessLine& l) {
    const std::string more = l.instructions > 1 ? fmt::format(" and {} more", l.instructions - 1) : "";
    return text_of(r, l.sum.site) + more;
}

std::string shared_text(const BankReport& r, size_t rank, const AccessLine& l) {
    const std::string array = array_name(r, l.array);
    const AccessSite& s = l.sum;
    return fmt::format(
        "\n[{}] {}{}\n    {}\n    {} requests of {:.2f} wavefronts each, where {:.2f} would do; degree {}\n  "
        "  {}\n",
        rank,
        place(r, l),
        array.empty() ? "" : ", array " + array,
        instruction_text(r, l),
        s.requests,
        per_request(s.cost, s),
        per_request(s.ideal, s),
        s.degree,
        witness_text(r, s)
    );
}

bool conflicts(const AccessSite& s) { return s.cost > s.ideal; }

std::string remedies_text(const BankReport& r) {
    std::string out;
    for (const diagnosis::ProvenRemedy& p : r.remedies) {
        const analysis::SharedArray& array = r.arrays[static_cast<size_t>(p.remedy.array)];
        const std::string guess = array.pitch == 0
            ? fmt::format(" (no mark names its rows; taken as {} bytes each)", p.remedy.pitch)
            : "";
        out += fmt::format(
            "  {}{}: {}\n      run with it: {} -> {} wavefronts over its instructions, {} without conflicts; "
            "results {}\n",
            array_name(r, p.remedy.array),
            guess,
            remedy_words(p.remedy),
            p.before,
            p.after,
            p.ideal,
            p.same_results ? "unchanged" : "CHANGED"
        );
    }
    return out;
}

// Arrays with conflicts that no layout of the search lessens.
std::string unmended_text(const BankReport& r) {
    std::string out;
    for (size_t k = 0; k < r.arrays.size(); ++k) {
        const int array = static_cast<int>(k);
        const bool mended = std::any_of(r.remedies.begin(), r.remedies.end(), [&](const auto& p) {
            return p.remedy.array == array;
        });
        const bool bad = std::any_of(r.shared_lines.begin(), r.shared_lines.end(), [&](const AccessLine& l) {
            return l.array == array && conflicts(l.sum);
        });
        if (bad && !mended)
            out += fmt::format(
                "  {}: no padding of 1 to 16 elements and no XOR with the row takes fewer wavefronts and "
                "keeps its "
                "accesses aligned\n",
                array_name(r, array)
            );
    }
    const bool unknown = std::any_of(r.shared_lines.begin(), r.shared_lines.end(), [](const AccessLine& l) {
        return l.array < 0 && conflicts(l.sum);
    });
    if (unknown) out += "  what has no name: mark it with WL_LAYOUT, so that its rows are known\n";
    return out;
}

size_t count_conflicts(const std::vector<AccessSite>& sites) {
    return static_cast<size_t>(std::count_if(sites.begin(), sites.end(), conflicts));
}

std::string total_text(const std::vector<AccessSite>& sites, const char* memory, const char* unit) {
    const analysis::AccessTotal t = analysis::total(sites);
    if (t.requests == 0) return fmt::format("{} memory: no requests\n", memory);
    return fmt::format(
        "{} memory: {} requests, {} {}, {} would do (x{:.2f}); {} of {} instructions take more\n",
        memory,
        t.requests,
        t.cost,
        unit,
        t.ideal,
        static_cast<double>(t.cost) / static_cast<double>(t.ideal),
        count_conflicts(sites),
        sites.size()
    );
}

std::string global_text(const BankReport& r) {
    std::string out = total_text(r.global, "global", "sectors");
    for (const AccessLine& l : r.global_lines)
        if (conflicts(l.sum))
            out += fmt::format(
                "  {}: {} requests of {:.2f} sectors each, where {:.2f} would do\n      {}\n",
                place(r, l),
                l.sum.requests,
                per_request(l.sum.cost, l.sum),
                per_request(l.sum.ideal, l.sum),
                instruction_text(r, l)
            );
    return out;
}

}  // namespace

std::string text_of(const BankReport& r, uint32_t site) { return r.about.sites.at(site).text; }

std::string file_of(const BankReport& r, int source) {
    return source < 0 ? "" : r.about.sources.at(static_cast<size_t>(source)).path;
}

std::string array_name(const BankReport& r, int array) {
    return array < 0 ? "" : demangle(r.arrays.at(static_cast<size_t>(array)).name);
}

std::vector<int> lanes_of(uint32_t mask) {
    std::vector<int> out;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) out.push_back(std::countr_zero(rest));
    return out;
}

std::string remedy_words(const analysis::Remedy& m) {
    if (m.padding != 0)
        return fmt::format(
            "pad each row by {} elements: leading dimension {} instead of {} ({} bytes more a row)",
            m.padding / m.element,
            (m.pitch + m.padding) / m.element,
            m.pitch / m.element,
            m.padding
        );
    return fmt::format(
        "XOR swizzle: put the {}-byte piece p of row r at p ^ ({} & {})",
        m.unit,
        m.shift == 0 ? "r" : fmt::format("r >> {}", m.shift),
        m.mask
    );
}

std::string banks_verdict(const BankReport& r) { return count_conflicts(r.shared) == 0 ? "ok" : "findings"; }

std::string banks_text(const BankReport& r, const Style& style) {
    std::string out = headline(r.about, style) + total_text(r.shared, "shared", "wavefronts");
    size_t rank = 0;
    for (const AccessLine& l : r.shared_lines)
        if (conflicts(l.sum)) out += shared_text(r, ++rank, l);
    if (rank != 0) out += "\nwhat removes them, each run to see it:\n" + remedies_text(r) + unmended_text(r);
    out += "\n" + global_text(r);
    if (!r.uncounted.empty())
        out += fmt::format(
            "note: {} instructions touch memory by rules that are not counted\n", r.uncounted.size()
        );
    if (!r.patterns_complete)
        out += "note: the search saw a part of the requests of some instructions; the runs saw all\n";
    out += fmt::format(
        "covered: {} of {} blocks; PTX instructions by the rules measured on an H200 (docs/banks.md)\n",
        r.blocks,
        count(r.about.launch.grid)
    );
    return out;
}

int verb_banks(const Command& command) {
    require_emulator(command.verb, command.kernel);
    KernelOptions kernel = command.kernel;
    if (is_capture(kernel.kernel)) kernel = options_of(capture::read_capture(kernel.kernel), kernel);
    manifest::Problem problem = bind(kernel);
    diagnosis::Options options = run_options(kernel);
    options.on_progress = progress_reporter(command.output);
    std::vector<int64_t> blocks;
    blocks.reserve(command.blocks.size());
    for (const std::string& block : command.blocks) blocks.push_back(block_of_launch(block, problem));
    const BankReport report = diagnosis::count_banks(std::move(problem), options, blocks);
    const std::string text =
        command.output.json ? banks_json(report) + "\n" : banks_text(report, style_of(command.output));
    print_text(text);
    return capture::status_of(banks_verdict(report));
}

}  // namespace wl::app
