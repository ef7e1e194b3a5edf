// `warplens bench`: how long the plain kernel takes on a GPU, once its outputs are right there.
#include "app/cli/bench/torch.h"
#include "app/cli/print.h"
#include "app/cli/progress.h"
#include "app/cli/verbs.h"
#include "instrumentation/base/error.h"
#include "instrumentation/diagnosis/sequence.h"
#include "instrumentation/gpu/executor.h"
#include "instrumentation/gpu/timing.h"

#include <algorithm>
#include <cstdio>
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

// The outputs on this device, against the reference: what is wrong is not timed.
capture::Capture checked(const Command& c, const manifest::Problem& problem, diagnosis::Options options) {
    options.executor = gpu::executor(c.kernel.device);
    options.recorded_pass = options.diagnose = false;
    return diagnosis::run(problem, options);
}

Measured measure(const Command& c, manifest::Problem problem) {
    diagnosis::Options options = run_options(c.kernel);
    options.reference = false;
    Measured out;
    if (!c.bench.flops.empty()) out.flops = flops_of(problem, c.bench.flops);
    capture::Capture unused;
    const diagnosis::Experiment e = diagnosis::make_experiment(std::move(problem), options, unused);
    const diagnosis::Prepared p = diagnosis::prepare(e);
    gpu::TimeOptions time;
    time.device = c.kernel.device, time.samples = c.bench.samples, time.launches = c.bench.launches;
    const gpu::Timed timed{e.module, e.entry, p.launch, p.memory};
    out.timing = gpu::time_kernel(timed, time);
    if (c.bench.observed) out.observed = gpu::time_observed(timed, time);
    if (!c.bench.against.empty()) out.torch = time_torch(e.problem, out.timing, time);
    return out;
}

std::string spread_text(const char* name, const gpu::Spread& s, const Measured& m) {
    std::string out = fmt::format(
        "{}: median {:.2f} us, quartiles {:.2f} to {:.2f} ({} samples of {} launches); arrays once: {:.0f} "
        "GB/s",
        name,
        s.median * 1e6,
        s.low * 1e6,
        s.high * 1e6,
        s.samples,
        s.launches,
        static_cast<double>(m.timing.array_bytes) / s.median * 1e-9
    );
    if (m.timing.copy_rate > 0)
        out += fmt::format(
            " ({:.0f} % of a copy's)",
            100 * static_cast<double>(m.timing.array_bytes) / s.median / m.timing.copy_rate
        );
    if (m.flops) out += fmt::format("; {:.2f} TFLOP/s", *m.flops / s.median * 1e-12);
    return out + "\n";
}

// Bytes a second that dumping adds, of the time that it adds.
double dump_rate(const gpu::Observed& o) {
    return static_cast<double>(o.bytes) / std::max(o.all.median - o.plain.median, 1e-9);
}

std::string observed_text(const gpu::Observed& o) {
    return fmt::format(
        "observed: plain {:.2f} us; instrumented {:.2f}x where no block dumps, {:.2f}x where one does, "
        "{:.2f}x where "
        "all do: {:.1f} MB, {:.0f} % of the rate at which memory is filled ({:.0f} GB/s); {} records lost\n",
        o.plain.median * 1e6,
        o.idle.median / o.plain.median,
        o.one.median / o.plain.median,
        o.all.median / o.plain.median,
        static_cast<double>(o.bytes) * 1e-6,
        100 * dump_rate(o) / o.fill_rate,
        o.fill_rate * 1e-9,
        o.dropped
    );
}

std::string text_of(const Measured& m) {
    const gpu::Timing& t = m.timing;
    std::string out = fmt::format(
        "measured on {}: {} registers and {} bytes of local memory a thread, {} bytes of shared memory a "
        "block, {} "
        "blocks a multiprocessor (occupancy {:.0f} %); a copy moves {:.0f} GB/s\n",
        t.device,
        t.registers,
        t.local_bytes,
        t.shared_bytes,
        t.blocks_resident,
        100 * t.occupancy,
        t.copy_rate * 1e-9
    );
    out += spread_text("warm (the same arrays again)", t.warm, m);
    out += spread_text(fmt::format("cold ({} sets of arrays in turn)", t.sets).c_str(), t.cold, m);
    if (m.observed) out += observed_text(*m.observed);
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
        {"device",          t.device         },
        {"warm",            json_of(t.warm)  },
        {"cold",            json_of(t.cold)  },
        {"sets",            t.sets           },
        {"registers",       t.registers      },
        {"local_bytes",     t.local_bytes    },
        {"shared_bytes",    t.shared_bytes   },
        {"blocks_resident", t.blocks_resident},
        {"occupancy",       t.occupancy      },
        {"array_bytes",     t.array_bytes    },
        {"copy_rate",       t.copy_rate      }
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
            {"fill_rate", m.observed->fill_rate     }
        };
    if (m.torch) out["torch"] = torch_json(*m.torch, t);
    return out;
}

}  // namespace

int verb_bench(const Command& command) {
    diagnosis::Options options = run_options(command.kernel);
    options.on_progress = progress_reporter(command.output);
    manifest::Problem problem = bind(command.kernel);
    const capture::Capture c = checked(command, problem, options);
    const bool right = c.verdict == "ok" || c.verdict == "incomplete";
    std::optional<Measured> measured;
    if (right) measured = measure(command, std::move(problem));
    if (command.output.json) {
        ordered_json out{
            {"warplens", WL_VERSION          },
            {"verb",     "bench"             },
            {"kernel",   c.launch.kernel     },
            {"verdict",  c.verdict           },
            {"measured", measured.has_value()}
        };
        if (measured) out["timing"] = json_of(*measured);
        std::fprintf(stdout, "%s\n", out.dump(2).c_str());
    } else {
        std::string text = headline(c, style_of(command.output));
        text += right
            ? ""
            : "its outputs are wrong on this device, so it is not timed; `warplens diagnose --on gpu`\n";
        if (measured) text += text_of(*measured);
        std::fputs(text.c_str(), stdout);
    }
    return capture::status_of(c.verdict);
}

}  // namespace wl::app
