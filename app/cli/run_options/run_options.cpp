// Seed, shape, checks, who executes.
#include "app/cli/run_options/run_options.h"

#include "app/cli/record/record_words.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/search/idea.h"
#include "instrumentation/manifest/inputs.h"

#include <CLI/CLI.hpp>
#include <cstdint>

namespace wl::app {

void add_common_options(CLI::App& verb, Command& c) {
    KernelOptions& k = c.kernel;
    verb.add_option("--set", k.set, "NAME=VALUE: change a parameter of the manifest (repeatable)");
    verb.add_option("--seed", k.seed, "seed of the inputs");
    verb.add_option("--threads", k.threads, "emulator threads; 0: one a core")->check(CLI::NonNegativeNumber);
    verb.add_option(
            "--on", k.on, "who executes: cpu (the emulator), gpu, both (compared), auto (gpu if there is one)"
    )
        ->check(CLI::IsMember({"cpu", "gpu", "both", "auto"}));
    verb.add_option("--device", k.device, "number of the GPU, from 0 (`warplens devices` lists them)")
        ->check(CLI::NonNegativeNumber);
    verb.add_option("--arch", k.arch, "compute_80, compute_90, ...");
    verb.add_flag("--progress", c.output.progress, "progress as lines on stderr, for programs");
}

void add_trust_option(CLI::App& verb, Command& c) {
    verb.add_flag(
        "--trust",
        c.kernel.trust,
        "of a capture: what it names as its kernel may be opened, compiled and run, and is remembered by "
        "content"
    );
}

void add_kernel_options(CLI::App& verb, Command& c) {
    KernelOptions& k = c.kernel;
    verb.add_option("--fault", k.faults, "switch a named fault of the kernel on (repeatable)");
    verb.add_option(
        "--launch", k.launch, "of several launches this one is recorded: its number from 1, or its name"
    );
    verb.add_option("--preset", k.preset, "a named set of parameters of the manifest");
    verb.add_option("--shape", k.shape, "B,H,S,D of an attention kernel");
    verb.add_flag("--causal", k.causal, "short for --set CAUSAL=1");
    verb.add_option(
        "--inputs", k.inputs, "fill of every input: " + join(manifest::input_kinds(), ", ") + ", or a .npz"
    );
    verb.add_option(
        "--check", k.check, "races,uninitialised,bounds,barriers,reference or none; default: all"
    );
    verb.add_option(
        "--schedule", k.schedule, "seed of another legal order of warps and blocks; 0: the fixed one"
    );
    verb.add_option("--budget", k.budget, "warp instructions of a block; 0: 2^25 of one warp");
    verb.add_option(
            "--search",
            k.search,
            "seconds that looking for a change that mends may take; default: 30 for run and diagnose, else 0"
    )
        ->check(CLI::Range(uint64_t{0}, uint64_t{3600}));
    verb.add_option("--try", k.ideas, "\"57: < -> <=\": whether this change of the source mends (repeatable)")
        ->each([](const std::string& text) { diagnosis::parse_idea(text); });
    add_record_options(verb, k);
    add_common_options(verb, c);
}

}  // namespace wl::app
