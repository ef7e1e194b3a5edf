// Changes of the source, compiled a batch at a time and tried.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/search/source_trials.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

constexpr uint64_t kQuickTimes = 4;  // instructions of a build that optimises little
constexpr size_t kAround = 48;       // changes behind the first that mends that are tried as well
constexpr int kNear = 2;             // lines: a statement, its loop and its condition

void work(SourceTrials& t) {
    Prover prover{t.e};
    for (;;) {
        const size_t batch = t.hunt.next++;
        if (batch >= t.batches.size() || is_late(t.hunt)) return;
        try_batch(t, prover, t.batches[batch]);
    }
}

Prove by_compiler(const SourceTrials& s) {
    const auto where = [&](size_t k) { return where_of(s.e, s.all[k]); };
    const auto proven = [&](size_t k) -> std::optional<Mended> {
        std::string text = rewritten(s.source.text, s.all[k]);
        try {
            const ptx::Module module = changed_module(s.e, text);
            auto proof = proof_of(s.hunt.lab, [&](const TrialOptions& o) {
                return try_module(s.hunt.lab.s.prover, module, o);
            });
            if (proof) return mended_by(s.e, s.all[k], std::move(*proof), std::move(text));
        } catch (const Error&) {
            return std::nullopt;  // the compiler that optimises refuses it
        }
        return std::nullopt;
    };
    return {where, proven};
}

std::set<int> located_lines(const Experiment& e, const std::string& file) {
    std::set<int> out;
    for (const ptx::Location& l : e.module.locations)
        if (l.line > 0 && e.module.files[static_cast<size_t>(l.file)] == file) out.insert(l.line);
    return out;
}

// Where a slice is known it alone says what is near: what did not take part cannot be at fault, but for what
// should have.
rewrite::Around around_of(
    const Experiment& e, const std::vector<Suspect>& suspects, const std::string& file
) {
    rewrite::Around out{numbers_in_play(e), {}};
    for (const Suspect& s : suspects) {
        if (s.file != file) continue;
        for (int line = s.line - kNear; line <= s.line + kNear; ++line) {
            const int far = line == s.line ? s.far : std::abs(line - s.line) == 1 ? 1 : 2;
            const auto [at, fresh] = out.suspicion.try_emplace(line, far);
            at->second = std::min(at->second, far);
        }
    }
    // Nobody made what is wrong: whatever line could have.
    if (out.suspicion.empty())
        for (const int line : located_lines(e, file)) out.suspicion.emplace(line, 2);
    return out;
}

// Until all are tried: what does not compile with others comes last, on its own.
void try_all(SourceTrials& t, SearchResult& out) {
    Hunt& h = t.hunt;
    while (out.mended.empty() && !is_late(h)) {
        t.batches = batches_of(t);
        if (t.batches.empty()) return;
        h.next = 0;
        on_threads(threads_of(t.e.options), [&] { work(t); });
        prove_hits(h, by_compiler(t), out);
    }
}

}  // namespace

SearchResult search_source(const Symptoms& symptoms, const std::vector<Suspect>& suspects, double seconds) {
    SearchResult out;
    const auto start = Clock::now();
    const Experiment& e = symptoms.experiment;
    const std::filesystem::path path = e.problem.kernel.source;
    if (path.extension() == ".ptx") {
        out.unsupported = "there is no source";
        return out;
    }
    const std::string text = read_text_file(path.string());
    const compile::Quick quick = compile::make_quick(compile_options(e.problem, e.options), text);
    if (!quick.problem.empty()) {
        out.unsupported = quick.problem;
        return out;
    }
    const std::string file = path_from_here(e.problem.kernel.source);
    const rewrite::Source source = rewrite::read_source(text, located_lines(e, file), e.problem.defines);
    const std::vector<Rewrite> all = rewrites(source, around_of(e, suspects, file));
    out.candidates = all.size();
    SourceTrials s{
        .hunt = {.lab = {symptoms}, .deadline = end_after(start, seconds), .around = kAround},
        .e = e,
        .quick = quick,
        .source = source,
        .all = all,
        .slots = slots_of(source),
        .slot = {},
        .done = std::vector<uint8_t>(all.size())
    };
    for (const Rewrite& r : all) s.slot.push_back(slot_of(s.slots, r));
    const std::vector<compile::Variant> unchanged = compile::compile_variants(quick, {text});
    out.unsupported = choose_trial(
        s.hunt.lab,
        [&](const TrialOptions& o) { return try_variant(e, symptoms.prover, unchanged.front().ptx, 0, o); },
        kQuickTimes
    );
    if (out.unsupported.empty()) try_all(s, out);
    out.tried = s.hunt.tried;
    return out;
}

}  // namespace wl::diagnosis
