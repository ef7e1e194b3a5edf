// never_written, of outputs: elements that nobody stored to, with or without a reference, and who should
// have, by who wrote the elements beside them.
#include "instrumentation/diagnosis/observe.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"
#include "instrumentation/diagnosis/rules/wrong_elements.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

// Of an output, with who wrote each of its elements.
struct Search {
    const Symptoms& s;
    const capture::Output& output;
    std::vector<Writer> writers;
    int64_t blocks = 0;
    int threads = 0;  // of a block
};

int64_t thread_of(const Search& f, const Writer& w) { return w.block * f.threads + w.warp * 32 + w.lane; }

std::string thread_text(const Search& f, int64_t thread) {
    const int64_t block = thread / f.threads, within = thread % f.threads;
    const std::string name =
        block < f.blocks ? block_text(f.s.capture, block) : fmt::format("number {}", block);
    return fmt::format("block {}, warp {}, lane {}", name, within / 32, within % 32);
}

// Who should have written the first of them, and what is known of it.
struct Expected {
    std::string text;
    int64_t thread = -1;  // in the launch; -1: not known
    const Writer* neighbour = nullptr;
};

Expected expected_writer(const Search& f, int64_t first) {
    Expected out;
    if (first == 0) {
        const int64_t all = f.output.of.elements;
        if (f.output.of.unwritten == all && all == f.blocks * f.threads)
            out.thread = 0,
            out.text = " There are as many threads as elements: the first should be written by " +
                thread_text(f, 0) + ".";
        const auto behind =
            std::find_if(f.writers.begin(), f.writers.end(), [](const Writer& w) { return w.block >= 0; });
        if (behind == f.writers.end()) return out;
        out.neighbour = &*behind;
        out.text = fmt::format(
            " Element {} is written by {}; what writes beside it should have written those before.",
            behind - f.writers.begin(),
            thread_text(f, thread_of(f, *behind))
        );
        return out;
    }
    out.neighbour = &f.writers[static_cast<size_t>(first - 1)];
    const int64_t beside = thread_of(f, *out.neighbour);
    out.text = fmt::format(" Element {} is written by {}", first - 1, thread_text(f, beside));
    const Writer* before = first > 1 ? &f.writers[static_cast<size_t>(first - 2)] : nullptr;
    if (before == nullptr || thread_of(f, *before) + 1 != beside) {
        out.text += "; what writes beside it should have written this one.";
        return out;
    }
    out.thread = beside + 1;
    out.text += fmt::format(
        ", and element {} by the thread before: element {} should be written by {}",
        first - 2,
        first,
        thread_text(f, out.thread)
    );
    out.text += out.thread / f.threads < f.blocks
        ? "."
        : fmt::format(
              ", but the launch has {} blocks, 0 to {}: the grid is too small.", f.blocks, f.blocks - 1
          );
    return out;
}

capture::Finding finding_of(const Search& f) {
    capture::Finding out;
    out.rule = "never_written";
    out.where.tile = f.output.name;
    const capture::Compared& of = f.output.of;
    out.title =
        fmt::format("{} of {} elements of {} are never written", of.unwritten, of.elements, f.output.name);
    out.explanation = of.unwritten == of.elements
        ? fmt::format("No thread of the launch stores to {}; it holds what was there before.", f.output.name)
        : "No thread of the launch stores to them; they hold what was there before.";
    out.proof = "every store of the launch was seen";
    out.evidence = {
        {"never_written", static_cast<double>(of.unwritten)}
    };
    std::vector<uint8_t> flags;
    const Unsettled* others = f.s.experiment.unsettled.get();
    for (size_t e = 0; e < f.writers.size(); ++e) {
        const bool is_later =
            others != nullptr && others->elements.at(f.output.name)[e] == Whose::later;  // of the launches
        flags.push_back(f.writers[e].block < 0 && !is_later ? 1 : 0);
    }
    const auto unwritten = std::find(flags.begin(), flags.end(), 1);
    if (unwritten == flags.end()) return out;
    out.pattern = pattern_words(f.s, f.output, flags);
    const int64_t first = unwritten - flags.begin(),
                  cols = f.output.shape.empty() ? 1 : f.output.shape.back();
    out.where.element[0] = static_cast<int>(first / cols),
    out.where.element[1] = static_cast<int>(first % cols);
    if (of.unwritten < of.elements) out.title += ": " + out.pattern;
    const Expected expected = expected_writer(f, first);
    out.explanation += expected.text;
    if (expected.neighbour != nullptr) {
        const capture::Where store = where_of(f.s, expected.neighbour->site);
        out.where.file = store.file, out.where.line = store.line;
        out.explanation += fmt::format(" The store beside is {}.", quoted(f.s.capture, store));
    }
    if (expected.thread < 0 || expected.thread / f.threads >= f.blocks) return out;
    out.where.block = expected.thread / f.threads;
    out.where.warp = static_cast<int>(expected.thread % f.threads / 32);
    out.where.lanes = std::to_string(expected.thread % 32);
    return out;
}

// What need not be compared with anything may be room that the kernel never needs.
bool is_waived(const Symptoms& s, const capture::Output& output) {
    return !rule_of(s.experiment.problem, output.name).compare;
}

}  // namespace

Ruled unwritten_rule(const Symptoms& s) {
    Ruled out;
    if (is_cut_short(s)) return out;
    for (const capture::Output& o : s.capture.outputs) {
        if (o.of.unwritten == 0 || is_waived(s, o) || !s.experiment.options.executor.can.record) continue;
        const capture::Tile& tile = s.capture.tiles[static_cast<size_t>(o.tile)];
        out.findings.push_back(finding_of(
            {s,
             o,
             writers_of(s, o).value_or(std::vector<Writer>{}),
             static_cast<int64_t>(count(s.capture.launch.grid)),
             static_cast<int>(count(s.capture.launch.block))}
        ));
        out.explains = out.explains || (s.first_bad == o.tile && tile.bad <= o.of.unwritten);
    }
    return out;
}

}  // namespace wl::diagnosis
