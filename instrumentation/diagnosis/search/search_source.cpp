// Changes of the source, compiled a batch at a time and tried.
#include "instrumentation/base/demangle.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/variants.h"
#include "instrumentation/diagnosis/rewrite/rewrite.h"
#include "instrumentation/diagnosis/search/lab.h"
#include "instrumentation/diagnosis/search/search.h"
#include "instrumentation/diagnosis/symbols.h"
#include "instrumentation/manifest/params.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

namespace wl::diagnosis {

namespace {

using rewrite::Rewrite;

constexpr uint64_t kQuickTimes = 4;       // instructions of a build that optimises little
constexpr size_t kLeast = 8, kMost = 64;  // changes of a batch
constexpr double kBatchSeconds = 0.4;     // that a batch shall take
constexpr size_t kAround = 48;            // changes behind the first that mends that are tried as well
constexpr size_t kMostProven = 4;         // changes that are told
constexpr int kNear = 2;                  // lines: a statement, its loop and its condition

struct Sources {
    Lab lab;
    const Experiment& e;
    const compile::Quick& quick;
    const std::string& text;
    const std::vector<Rewrite>& all;
    Clock::time_point deadline;
    std::atomic<size_t> next = 0, tried = 0, batch = kLeast;
    std::atomic<size_t> first = ~size_t{0};  // the first change that mends
    std::mutex lock = {};
    std::vector<size_t> hits = {};
};

bool is_late(const Sources& s) { return Clock::now() > s.deadline; }
bool is_over(const Sources& s, size_t k) {
    const size_t first = s.first;
    return is_late(s) || (first != ~size_t{0} && k > first + kAround);
}

// "wl_variant_0003::scale(float*)" without its first namespace.
std::string bare(std::string name) {
    const size_t at = name.find("wl_variant_");
    if (at == name.npos) return name;
    const size_t end = name.find("::", at);
    return end == name.npos ? name : name.erase(at, end + 2 - at);
}

// The entry's name in a version; empty: it is not there.
std::string entry_in(const Experiment& e, const ptx::Module& module) {
    const std::string wanted = demangle(e.entry);
    for (const ptx::Function& f : module.functions) {
        if (!f.is_entry || f.is_declaration) continue;
        std::string name = bare(demangle(f.name));
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
        manifest::Problem symbols = s.e.problem;
        for (manifest::BoundArgument& symbol : symbols.symbols)
            symbol.name = compile::in_variant(variant, symbol.name);
        fill_symbols(symbols, module);
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
    for (size_t k = from; k < end && !is_over(s, k); ++k) {
        ++s.tried;
        const Trial t = try_variant(s, prover, variants[k - from].ptx, k - from, s.lab.block);
        if (!mends(s.lab, t)) continue;
        const std::scoped_lock hold(s.lock);
        s.hits.push_back(k);
        s.first = std::min<size_t>(s.first, k);
    }
    const double took = std::chrono::duration<double>(Clock::now() - start).count();
    const double fits = static_cast<double>(end - from) * kBatchSeconds / std::max(took, 1e-3);
    s.batch = std::clamp(static_cast<size_t>(fits), kLeast, kMost);
}

void work(Sources& s) {
    Prover prover{s.e};
    for (;;) {
        const size_t size = s.batch, from = s.next.fetch_add(size);
        if (from >= s.all.size() || is_over(s, from)) return;
        try_batch(s, prover, from, std::min(from + size, s.all.size()));
    }
}

// With the compiler's whole optimisation, as the kernel that was diagnosed.
std::optional<std::string> prove_source(const Sources& s, Prover& prover, const std::string& text) {
    compile::CompileOptions options = compile_options(s.e.problem, s.e.options);
    options.text = text;
    try {
        ptx::Module module = ptx::parse(compile::compile(options).ptx);
        fill_symbols(s.e.problem, module);
        return proof_of(s.lab, [&](const TrialOptions& o) { return try_module(prover, module, o); });
    } catch (const Error&) { return std::nullopt; }
}

// Not within the search's time: what is once found is looked at to the end.
void prove_hits(Sources& s, Prover& prover, SearchResult& out) {
    std::sort(s.hits.begin(), s.hits.end());
    const std::string file = path_from_here(s.e.problem.kernel.source);
    for (const size_t k : s.hits) {
        const Rewrite& r = s.all[k];
        const bool told = std::any_of(out.mended.begin(), out.mended.end(), [&](const Mended& m) {
            return m.where.line == r.line;
        });
        if (told || out.mended.size() == kMostProven) continue;
        std::string text = rewritten(s.text, r);
        auto proof = prove_source(s, prover, text);
        if (!proof) continue;
        Mended m{r.rule, r.was, r.now, {}, std::move(*proof), std::move(text)};
        m.where.file = file, m.where.line = r.line;
        out.mended.push_back(std::move(m));
    }
    s.hits.clear(), s.first = ~size_t{0};
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
    Prover& prover = s.lab.s.prover;
    while (s.next < s.all.size() && out.mended.empty() && !is_late(s)) {
        std::vector<std::jthread> others;
        for (int t = 1; t < threads_of(s.e.options); ++t) others.emplace_back([&] { work(s); });
        work(s);
        others.clear();
        const size_t behind = s.first == ~size_t{0} ? s.all.size() : s.first + kAround + 1;
        prove_hits(s, prover, out);
        s.next = std::min<size_t>(s.next, behind);
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
    const auto end = start + std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds));
    Sources s{.lab = {symptoms}, .e = e, .quick = quick, .text = text, .all = all, .deadline = end};
    const std::vector<compile::Variant> unchanged = compile::compile_variants(quick, {text});
    out.unsupported = choose_trial(
        s.lab,
        [&](const TrialOptions& o) { return try_variant(s, symptoms.prover, unchanged.front().ptx, 0, o); },
        kQuickTimes
    );
    if (out.unsupported.empty()) try_all(s, out);
    out.tried = s.tried;
    return out;
}

}  // namespace wl::diagnosis
