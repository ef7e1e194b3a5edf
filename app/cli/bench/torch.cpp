#include "app/cli/bench/torch.h"

#include "app/cli/bench/torch_driver.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/manifest/npy.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::app {

namespace {

constexpr double kTimeout = 300;  // seconds

std::string python() {
    const char* chosen = std::getenv("WARPLENS_PYTHON");
    return chosen != nullptr && *chosen != '\0' ? chosen : "python3";
}

void write_inputs(const manifest::Problem& p, const std::string& folder) {
    for (const char* name : {"Q", "K", "V"}) {
        const auto found = std::find_if(p.args.begin(), p.args.end(), [&](const manifest::BoundArgument& a) {
            return a.array && a.name == name && a.data.shape.size() == 4;
        });
        if (found == p.args.end() || p.kernel.reference.target != "attention")
            throw Unsupported(
                "unsupported: --against torch: it compares attention over arrays Q, K and V of four "
                "dimensions"
            );
        manifest::write_npy(folder + "/" + name + ".npy", found->data);
    }
}

std::string last_line(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

}  // namespace

Torch time_torch(const manifest::Problem& p, const gpu::Timing& timing, const gpu::TimeOptions& options) {
    const Scratch scratch;
    write_inputs(p, scratch.path);
    const std::string script = scratch.path + "/torch_driver.py";
    std::ofstream(script) << kTorchDriver;
    const bool causal = std::any_of(p.params.begin(), p.params.end(), [](const auto& parameter) {
        return parameter.first == "CAUSAL" && parameter.second != 0;
    });
    const Finished ran = run_process(
        {python(),
         script,
         scratch.path,
         causal ? "1" : "0",
         std::to_string(options.samples),
         std::to_string(options.launches),
         std::to_string(timing.l2_bytes)},
        scratch.path + "/log",
        kTimeout
    );
    const std::string said = last_line(ran.output);
    const nlohmann::json answer = nlohmann::json::parse(said, nullptr, false);
    if (ran.status != 0 || answer.is_discarded())
        throw Unsupported(fmt::format(
            "unsupported: --against torch: {} did not time PyTorch: {} (WARPLENS_PYTHON names a Python that "
            "has it)",
            python(),
            ran.started ? said : "it cannot be started"
        ));
    Torch out{answer.at("torch"), answer.at("device"), {}};
    for (const auto& [name, row] : answer.at("backends").items())
        out.backends.push_back(
            {name, row.value("refused", ""), row.value("warm", 0.0), row.value("cold", 0.0)}
        );
    return out;
}

std::string torch_text(const Torch& torch, const gpu::Timing& t) {
    std::string out =
        fmt::format("PyTorch {} on the same inputs, this kernel's time / its:\n", torch.version);
    for (const TorchBackend& b : torch.backends)
        out += b.refused.empty() ? fmt::format(
                                       "  {:<17} warm {:.2f}x ({:.2f} us), cold {:.2f}x ({:.2f} us)\n",
                                       b.name,
                                       t.warm.median / b.warm,
                                       b.warm * 1e6,
                                       t.cold.median / b.cold,
                                       b.cold * 1e6
                                   )
                                 : fmt::format("  {:<17} does not run: {}\n", b.name, b.refused);
    return out;
}

nlohmann::ordered_json torch_json(const Torch& torch, const gpu::Timing& t) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const TorchBackend& b : torch.backends) {
        nlohmann::ordered_json row{
            {"backend", b.name}
        };
        if (!b.refused.empty())
            row["refused"] = b.refused;
        else
            row.update({
                {"warm",       b.warm                },
                {"cold",       b.cold                },
                {"warm_ratio", t.warm.median / b.warm},
                {"cold_ratio", t.cold.median / b.cold}
            });
        all.push_back(row);
    }
    return {
        {"torch",    torch.version},
        {"device",   torch.device },
        {"backends", all          }
    };
}

}  // namespace wl::app
