// `warplens bench`: how long the plain kernel takes on a GPU, once its outputs are right there.
#include "app/cli/bench/torch.h"
#include "app/cli/print.h"
#include "app/cli/progress.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/gpu/executor.h"
#include "instrumentation/gpu/timing.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace wl::app {

namespace {

using nlohmann::ordered_json;

struct Measured {
    gpu::Timing timing;
    std::optional<double> flops;  // of one launch, as --flops says
    std::optional<Torch> torch;
    std::optional<gpu::Observed> observed;
};

double flops_of(const manifest::Problem& p, const std::string& expression) {
    std::map<std::string, double> variables;
    for (const auto& [name, value] : p.params) variables[name] = value;
    const double flops = manifest::evaluate(expression, variables, "--flops");
    if (!(flops > 0)) throw Error("--flops " + expression + ": that is no positive number");
    return flops;
}

// Of an experiment whose outputs are right on the device.
Measured measure(const Command& c, const diagnosis::Experiment& e) {
    Measured out;
    if (!c.bench.flops.empty()) out.flops = flops_of(e.problem, c.bench.flops);
    const diagnosis::Prepared p = diagnosis::prepare(e);
    gpu::TimeOptions time;
    time.device = c.kernel.device, time.samples = c.bench.samples, time.launches = c.bench.launches;
    const gpu::Timed timed{e.module, e.entry, p.launch, p.memory};
    out.timing = gpu::time_kernel(timed, time);
    if (c.bench.observed) out.observed = gpu::time_observed(timed, time);
    if (!c.bench.against.empty()) out.torch = time_torch(e.problem, out.timing, time);
    return out;
}

// ", 12 % of <what>"; nothing where the ceiling is not known.
std::string share_text(double rate, double ceiling, const char* what) {
    return ceiling > 0 ? fmt::format(" ({:.0f} % of {})", 100 * rate / ceiling, what) : "";
}

std::string spread_text(const char* name, const gpu::Spread& s, const Measured& m) {
    const gpu::Ceilings& most = m.timing.ceilings;
    const double bytes = static_cast<double>(m.timing.array_bytes) / s.median;
    std::string out = fmt::format(
        "{}: median {:.2f} us, quartiles {:.2f} to {:.2f} ({} samples of {} launches); arrays once: {:.0f} "
        "GB/s{}",
        name,
        s.median * 1e6,
        s.low * 1e6,
        s.high * 1e6,
        s.samples,
        s.launches,
        bytes * 1e-9,
        share_text(bytes, most.copy, "a copy's")
    );
    if (m.flops) {
        const bool matrices = m.timing.multiplies_matrices;
        const double rate = *m.flops / s.median;
        out += fmt::format("; {:.2f} TFLOP/s", rate * 1e-12) +
            share_text(rate, matrices ? most.mma : most.fma, matrices ? "mma.sync's" : "fma's");
    }
    return out + "\n";
}

// What the device does at most.
std::string ceilings_text(const gpu::Ceilings& c) {
    std::string out = "measured ceilings of the device:";
    const auto add = [&](const char* what, double rate, double unit, const char* name) {
        out += rate > 0 ? fmt::format(" {} {:.1f} {}/s,", what, rate / unit, name)
                        : fmt::format(" {} not measured,", what);
    };
    add("a copy moves", c.copy, 1e9, "GB");
    add("a fill writes", c.fill, 1e9, "GB");
    add("fma of f32", c.fma, 1e12, "TFLOP");
    add("mma.sync of f16 into f32", c.mma, 1e12, "TFLOP");
    out.back() = '\n';
    return out;
}

// Bytes a second that dumping adds, of the time that it adds.
double dump_rate(const gpu::Observed& o) {
    return static_cast<double>(o.bytes) / std::max(o.all.median - o.plain.median, 1e-9);
}

std::string observed_text(const gpu::Observed& o, const gpu::Ceilings& most) {
    return fmt::format(
        "observed: plain {:.2f} us; instrumented {:.2f}x where no block dumps, {:.2f}x where one does, "
        "{:.2f}x where all do: {:.1f} MB, {:.0f} GB/s{}; {} records lost\n",
        o.plain.median * 1e6,
        o.idle.median / o.plain.median,
        o.one.median / o.plain.median,
        o.all.median / o.plain.median,
        static_cast<double>(o.bytes) * 1e-6,
        dump_rate(o) * 1e-9,
        share_text(dump_rate(o), most.fill, "a fill's"),
        o.dropped
    );
}

std::string text_of(const Measured& m) {
    const gpu::Timing& t = m.timing;
    std::string out = fmt::format(
        "measured on {}: {} registers and {} bytes of local memory a thread, {} bytes of shared memory a "
        "block, {} "
        "blocks a multiprocessor (occupancy {:.0f} %)\n",
        t.device,
        t.registers,
        t.local_bytes,
        t.shared_bytes,
        t.blocks_resident,
        100 * t.occupancy
    );
    out += ceilings_text(t.ceilings);
    out += spread_text("warm (the same arrays again)", t.warm, m);
    out += spread_text(fmt::format("cold ({} sets of arrays in turn)", t.sets).c_str(), t.cold, m);
    if (m.observed) out += observed_text(*m.observed, t.ceilings);
    if (m.torch) out += torch_text(*m.torch, t);
    return out;
}

ordered_json json_of(const gpu::Spread& s) {
    return {
        {"median",   s.median  },
        {"low",      s.low     },
        {"high",     s.high    },
        {"samples",  s.samples },
        {"launches", s.launches}
    };
}

ordered_json json_of(const Measured& m) {
    const gpu::Timing& t = m.timing;
    ordered_json out{
        {"device",          t.device             },
        {"warm",            json_of(t.warm)      },
        {"cold",            json_of(t.cold)      },
        {"sets",            t.sets               },
        {"registers",       t.registers          },
        {"local_bytes",     t.local_bytes        },
        {"shared_bytes",    t.shared_bytes       },
        {"blocks_resident", t.blocks_resident    },
        {"occupancy",       t.occupancy          },
        {"array_bytes",     t.array_bytes        },
        {"copy_rate",       t.ceilings.copy      },
        {"fill_rate",       t.ceilings.fill      },
        {"fma_rate",        t.ceilings.fma       },
        {"mma_rate",        t.ceilings.mma       },
        {"matrices",        t.multiplies_matrices}
    };
    if (m.flops) out["flops"] = *m.flops;
    if (m.observed)
        out["observed"] = {
            {"plain",     json_of(m.observed->plain)},
            {"idle",      json_of(m.observed->idle) },
            {"one",       json_of(m.observed->one)  },
            {"all",       json_of(m.observed->all)  },
            {"bytes",     m.observed->bytes         },
            {"dropped",   m.observed->dropped       },
            {"dump_rate", dump_rate(*m.observed)    },
            {"fill_rate", t.ceilings.fill           }
        };
    if (m.torch) out["torch"] = torch_json(*m.torch, t);
    return out;
}

// What the time is of: `accept --measured` finds it by these.
ordered_json params_json(const capture::Launch& launch) {
    ordered_json out = ordered_json::object();
    for (const auto& [name, value] : launch.params) out[name] = value;
    return out;
}

}  // namespace

int verb_bench(const Command& command) {
    diagnosis::Options options = run_options(command.kernel);
    options.on_progress = progress_reporter(command.output);
    options.executor = gpu::executor(command.kernel.device);
    options.recorded_pass = options.diagnose = false;
    capture::Capture about;
    const diagnosis::Experiment e = diagnosis::make_experiment(bind(command.kernel), options, about);
    const capture::Capture c = diagnosis::run(e, std::move(about));  // what is wrong is not timed
    const bool right = c.verdict == "ok" || c.verdict == "incomplete";
    std::optional<Measured> measured;
    if (right) measured = measure(command, e);
    if (command.output.json) {
        ordered_json out{
            {"warplens", WL_VERSION           },
            {"verb",     "bench"              },
            {"kernel",   c.launch.kernel      },
            {"faults",   c.launch.faults      },
            {"preset",   command.kernel.preset},
            {"params",   params_json(c.launch)},
            {"verdict",  c.verdict            },
            {"measured", measured.has_value() }
        };
        if (measured) out["timing"] = json_of(*measured);
        print_text(json_text(out) + "\n");
    } else {
        std::string text = headline(c, style_of(command.output));
        text += right
            ? ""
            : "its outputs are wrong on this device, so it is not timed; `warplens diagnose --on gpu`\n";
        if (measured) text += text_of(*measured);
        print_text(text);
    }
    return capture::status_of(c.verdict);
}

}  // namespace wl::app
