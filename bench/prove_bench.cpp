// Counterfactual trials a second: one block of a program with a multiplication left out, lowered, run with
// all checks and compared, on the inputs at hand (seed 0) and on others (seed 1).
#include "instrumentation/diagnosis/prove/trial.h"
#include "instrumentation/diagnosis/run.h"
#include "instrumentation/manifest/manifest.h"
#include "instrumentation/ptx/edit/edit.h"

#include <benchmark/benchmark.h>
#include <string>
#include <vector>

namespace {

using namespace wl;

enum Case : int64_t { kBuiltin, kPython, kGemm };

diagnosis::Experiment experiment(int64_t which) {
    const std::string source = WL_SOURCE_DIR;
    manifest::Kernel kernel =
        manifest::load(which == kGemm ? source + "/tests/kernels/gemm.toml" : manifest::resolve("v2c_3"));
    manifest::BindOptions bind;
    if (which != kGemm)
        bind.set = {
            {"H", "1"  },
            {"S", "128"}
        };
    if (which == kPython) {
        kernel.reference.kind = manifest::ReferenceRule::Kind::python;
        kernel.reference.target = source + "/bench/attention.py";
    }
    capture::Capture scratch;
    return diagnosis::make_experiment(manifest::bind(kernel, bind), {}, scratch);
}

bool multiplies(const ptx::Instruction& i) {
    return i.op == ptx::Op::mul && !i.types.empty() && i.types.front() == ptx::Type::f32;
}

void trials(benchmark::State& state) {
    const diagnosis::Experiment e = experiment(state.range(0));
    const size_t entry = ptx::index_of(e.module, entry_of(e.module, e.entry));
    const ptx::Places places = ptx::select(e.module, {entry}, multiplies);
    diagnosis::TrialOptions options{.blocks = {0}, .budget = 1'000'000};
    options.seed_offset = static_cast<uint64_t>(state.range(1));
    diagnosis::Prover prover{e};
    size_t next = 0;
    int64_t compared = 0;
    for (auto _ : state) {
        ptx::Module changed = e.module;
        if (!places.empty() && !ptx::replace_by_move(changed, {places[next++ % places.size()]}, 1))
            state.SkipWithError("no edit");
        compared = diagnosis::try_module(prover, changed, options).compared;
    }
    state.SetItemsProcessed(state.iterations());
    state.counters["compared"] = static_cast<double>(compared);
}

void cases(benchmark::internal::Benchmark* b) {
    b->ArgNames({"kernel", "seed"})->Unit(benchmark::kMillisecond);
    for (const int64_t kernel : {kBuiltin, kPython, kGemm})
        for (const int64_t seed : {0, 1}) b->Args({kernel, seed});
}
BENCHMARK(trials)->Apply(cases);

}  // namespace
