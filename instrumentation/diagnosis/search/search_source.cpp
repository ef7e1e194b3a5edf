// Changes of the source, compiled a batch at a time and tried.
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/variants.h"
#include "instrumentation/diagnosis/search/hunt.h"
#include "instrumentation/diagnosis/search/source_change.h"
#include "instrumentation/diagnosis/symbols.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

constexpr uint64_t kQuickTimes = 4;       // instructions of a build that optimises little
constexpr size_t kLeast = 8, kMost = 64;  // changes of a batch
constexpr double kBatchSeconds = 0.4;     // that a batch shall take
constexpr size_t kAround = 48;            // changes behind the first that mends that are tried as well
constexpr int kNear = 2;                  // lines: a statement, its loop and its condition

struct Sources {
    Hunt hunt;
    const Experiment& e;
    const compile::Quick& quick;
    const std::string& text;
    const std::vector<Rewrite>& all;
    std::atomic<size_t> batch = kLeast;
};

// The entry's name in a version; empty: it is not there.
std::string entry_in(const Experiment& e, const ptx::Module& module) {
    const std::string wanted = demangle(e.entry);
    for (const ptx::Function& f : module.functions) {
        if (!f.is_entry || f.is_declaration) continue;
        const std::string name = compile::without_variant(demangle(f.name));
        if (name == wanted || name.substr(0, name.find('(')) == wanted) return f.name;
    }
    return {};
}

Trial try_variant(
    const Sources& s, Prover& prover, const std::string& ptx, size_t variant, const TrialOptions& options
) {
    Trial refused;
    refused.unsupported = "it does not compile";
    if (ptx.empty()) return refused;
    try {
        ptx::Module module = ptx::parse(ptx);
        TrialOptions own = options;
        own.entry = entry_in(s.e, module);
        if (own.entry.empty()) return refused;
        fill_symbols(s.e.problem, module, compile::in_variant(variant, ""));
        return try_module(prover, module, own);
    } catch (const Error& error) {
        refused.unsupported = error.what();
        return refused;
    }
}

void try_batch(Sources& s, Prover& prover, size_t from, size_t end) {
    const auto start = Clock::now();
    std::vector<std::string> texts;
    for (size_t k = from; k < end; ++k) texts.push_back(rewritten(s.text, s.all[k]));
    const std::vector<compile::Variant> variants = compile::compile_variants(s.quick, texts);
    for (size_t k = from; k < end && !is_over(s.hunt, k); ++k)
        judge(s.hunt, k, try_variant(s, prover, variants[k - from].ptx, k - from, s.hunt.lab.block));
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    const double fits = static_cast<double>(end - from) * kBatchSeconds / std::max(took, 1e-3);
    s.batch = std::clamp(static_cast<size_t>(fits), kLeast, kMost);
}

void work(Sources& s) {
    Prover prover{s.e};
    for (;;) {
        const size_t size = s.batch, from = s.hunt.next.fetch_add(size);
        if (from >= s.all.size() || is_over(s.hunt, from)) return;
        try_batch(s, prover, from, std::min(from + size, s.all.size()));
    }
}

Prove by_compiler(const Sources& s) {
    const auto where = [&](size_t k) { return where_of(s.e, s.all[k]); };
    const auto proven = [&](size_t k) -> std::optional<Mended> {
        std::string text = rewritten(s.text, s.all[k]);
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
    return out;
}

std::vector<Rewrite> rewrites_of(
    const Experiment& e, const std::vector<Suspect>& suspects, const std::string& text
) {
    const std::string file = path_from_here(e.problem.kernel.source);
    const rewrite::Source source = rewrite::read_source(text, located_lines(e, file), e.problem.defines);
    return rewrites(source, around_of(e, suspects, file));
}

void try_all(Sources& s, SearchResult& out) {
    Hunt& h = s.hunt;
    while (h.next < s.all.size() && out.mended.empty() && !is_late(h)) {
        on_threads(threads_of(s.e.options), [&] { work(s); });
        const size_t behind = h.first == ~size_t{0} ? s.all.size() : h.first + kAround + 1;
        prove_hits(h, by_compiler(s), out);
        h.next = std::min<size_t>(h.next, behind);
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
    const std::vector<Rewrite> all = rewrites_of(e, suspects, text);
    out.candidates = all.size();
    Sources s{
        .hunt = {.lab = {symptoms}, .deadline = end_after(start, seconds), .around = kAround},
        .e = e,
        .quick = quick,
        .text = text,
        .all = all
    };
    const std::vector<compile::Variant> unchanged = compile::compile_variants(quick, {text});
    out.unsupported = choose_trial(
        s.hunt.lab,
        [&](const TrialOptions& o) { return try_variant(s, symptoms.prover, unchanged.front().ptx, 0, o); },
        kQuickTimes
    );
    if (out.unsupported.empty()) try_all(s, out);
    out.tried = s.hunt.tried;
    return out;
}

}  // namespace wl::diagnosis
