// What is multiplied, where it runs, and how it is cut in parts.
#include "app/cli/sweep/sweep_options.h"

#include <CLI/CLI.hpp>

namespace wl::app {

namespace {

void add_factors(CLI::App& verb, Command& c) {
    SweepOptions& s = c.sweep;
    verb.add_option(
        "kernels", s.kernels, "shipped kernels, .toml or .cu, KERNEL+FAULT; default: all shipped"
    );
    verb.add_option("--presets", s.presets, "each of these presets; all: the manifest's, and it as it stands")
        ->delimiter(',');
    verb.add_option("--faults", s.faults, "each of these faults, or none; all: the manifest's, and none")
        ->delimiter(',');
    verb.add_option(
        "--set", s.set, "NAME=VALUE,VALUE,...: each of these values (repeatable: every combination)"
    );
    verb.add_option("--shape", s.shapes, "B,H,S,D of attention kernels (repeatable)");
    const auto count = CLI::Range(uint64_t{1}, uint64_t{1} << 20);
    verb.add_option("--seeds", s.seeds, "so many seeds, from --seed on; default: one")->check(count);
    verb.add_option("--seed", c.kernel.seed, "the first seed of the inputs");
    verb.add_option(
            "--schedules",
            s.schedules,
            "so many orders of warps and blocks, the fixed one first; default: one"
    )
        ->check(count);
}

void add_run(CLI::App& verb, Command& c) {
    KernelOptions& k = c.kernel;
    verb.add_option("--inputs", k.inputs, "fill of every input, or a .npz");
    verb.add_option(
        "--check", k.check, "races,uninitialised,bounds,barriers,reference or none; default: all"
    );
    verb.add_option("--budget", k.budget, "warp instructions of a block; 0: 2^25 of one warp");
    verb.add_option("--search", k.search, "seconds to look for a change that mends; default: 0");
    verb.add_option(
            "--threads", k.threads, "emulator threads of each run; default: 1 here, elsewhere one a core"
    )
        ->check(CLI::NonNegativeNumber);
    verb.add_option("--on", k.on, "who executes: cpu (the emulator), gpu, both (compared), auto")
        ->check(CLI::IsMember({"cpu", "gpu", "both", "auto"}));
    verb.add_option("--arch", k.arch, "compute_80, compute_90, ...");
    verb.add_flag("--progress", c.output.progress, "progress as lines on stderr, for programs");
}

}  // namespace

void add_sweep_options(CLI::App& verb, Command& c) {
    SweepOptions& s = c.sweep;
    add_factors(verb, c);
    add_run(verb, c);
    verb.add_option(
            "--jobs", s.jobs, "runs at once on each place; default: one a core here, one a GPU or machine"
    )
        ->check(CLI::Range(1, 4096));
    verb.add_option("--device", s.devices, "of --on gpu: numbers of GPUs, or all; they share the runs")
        ->delimiter(',');
    verb.add_option(
            "--hosts", s.hosts, "USER@MACHINE,...: these machines share the runs, by the system's ssh"
    )
        ->delimiter(',');
    verb.add_option(
        "--remote-warplens", c.kernel.remote_program, "the program there; default: warplens on its PATH"
    );
    verb.add_option("-o,--out", s.keep, "a folder for the captures of what is not ok; default: none is kept");
    verb.add_option("--part", s.part, "I/N: only every Nth run, from the Ith on");
    CLI::Option* merge =
        verb.add_option("--merge", s.merge, "what --json printed of the parts: one table of all");
    CLI::Option* slurm =
        verb.add_flag("--slurm", s.slurm, "print a script for sbatch: the parts as a job array");
    verb.add_option("--parts", s.parts, "of --slurm: into how many; default: a run each")
        ->check(CLI::Range(1, 100'000));
    slurm->excludes(merge);
}

}  // namespace wl::app
