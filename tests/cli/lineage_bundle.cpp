// lineage_bundle FOLDER: every kernel of kernels/ with each of its faults at each of its presets, as a GPU
// machine needs them for tests/gpu/lineage_run.py: PTX, launch, arguments, and what the emulator makes of
// some blocks.
#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/diagnosis/launch.h"
#include "instrumentation/diagnosis/run.h"
#include "tests/conformance/pool.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::test {
namespace {

using nlohmann::json;

constexpr int64_t kOutputBytes = 128 * 1024;  // that the emulator's blocks give, a case
constexpr int64_t kMostOutput = 64 << 20;     // bytes; of larger outputs nothing is emulated and sent
constexpr uint64_t kBudget = 1u << 26;        // warp instructions a block: far above any kernel that ends

int64_t output_bytes(const manifest::Problem& p) {
    int64_t bytes = 0;
    for (const manifest::BoundArgument& a : p.args)
        if (a.array && a.output) bytes += static_cast<int64_t>(a.data.bytes.size());
    return bytes;
}

// Evenly over the launch, as many as kOutputBytes lets be sent.
std::vector<int64_t> some_blocks(const manifest::Problem& p) {
    const int64_t bytes = output_bytes(p);
    const auto all = static_cast<int64_t>(count(manifest::launch_of(p).grid));
    const int64_t n = std::clamp<int64_t>(kOutputBytes * all / std::max<int64_t>(bytes, 1), 2, 16);
    if (n >= all) return {};
    std::vector<int64_t> out;
    for (int64_t i = 0; i < n; ++i) out.push_back(i * (all - 1) / (n - 1));
    return out;
}

json describe(const manifest::Problem& p, const manifest::BoundArgument& a) {
    const std::string_view bytes = conformance::text_of(a.data.bytes);
    json j{
        {"name",   a.name                            },
        {"dtype",  std::string(name_of(a.data.dtype))},
        {"array",  a.array                           },
        {"output", a.output                          },
        {"shape",  a.data.shape                      }
    };
    if (!a.fields.empty() || a.texture)
        throw Error(a.name + ": structs and textures are not sent to a GPU here");
    if (!a.array) j["value"] = std::vector<uint8_t>(bytes.begin(), bytes.end());
    if (a.array && !a.output) j["sha256"] = sha256_hex(bytes);
    if (!a.output) return j;
    const auto rule = p.kernel.outputs.find(a.name);
    j["of"] = rule == p.kernel.outputs.end() ? a.name : rule->second.of;
    if (rule != p.kernel.outputs.end() && rule->second.tolerance) j["tolerance"] = *rule->second.tolerance;
    return j;
}

// What the emulator's blocks leave in the outputs; all other bytes stay 0xff. Empty: they do not end.
bool emulate(
    const diagnosis::Experiment& e, const std::vector<int64_t>& blocks, conformance::Pool& pool, json& j
) {
    const ptx::Function& entry = ptx::entry_of(e.module, e.entry);
    diagnosis::Prepared prepared = diagnosis::prepare_launch(e.problem, entry);
    execution::RunOptions options;
    options.checks = {.races = false, .uninitialised = false, .uniform = false};
    options.marks = false, options.blocks = blocks, options.budget = kBudget;
    const execution::RunResult result =
        emulator::run(*emulator::lower(e.module, e.entry), prepared.launch, prepared.memory, options);
    using Kind = execution::Incident::Kind;
    for (const execution::Incident& i : result.incidents)
        if (i.kind == Kind::deadlock || i.kind == Kind::endless_loop || i.kind == Kind::endless_wait)
            return false;
    j["incidents"] = result.incidents.size();
    for (const manifest::BoundArgument& a : e.problem.args) {
        if (!a.output) continue;
        j["emulated"][a.name] =
            conformance::placed(pool, conformance::text_of(diagnosis::array_of(prepared.memory, a.name)));
    }
    return true;
}

// Nothing is sent of what cannot be launched; `why` then says why.
json bundle(
    const manifest::Kernel& kernel, manifest::BindOptions bind, conformance::Pool& pool, std::string& why
) {
    json j{
        {"kernel", kernel.name                                   },
        {"fault",  bind.faults.empty() ? "" : bind.faults.front()},
        {"preset", bind.preset                                   }
    };
    try {
        diagnosis::Options options;
        options.reference = false;
        capture::Capture about;
        const diagnosis::Experiment e =
            diagnosis::make_experiment(manifest::bind(kernel, bind), options, about);
        const manifest::Problem& p = e.problem;
        j["entry"] = e.entry, j["ptx"] = conformance::placed(pool, about.ptx);
        j["grid"] =
            {manifest::launch_of(p).grid.x, manifest::launch_of(p).grid.y, manifest::launch_of(p).grid.z},
        j["block"] = {
            manifest::launch_of(p).block.x, manifest::launch_of(p).block.y, manifest::launch_of(p).block.z};
        j["shared"] = manifest::launch_of(p).shared, j["cooperative"] = manifest::launch_of(p).cooperative;
        for (const auto& [name, value] : p.params) j["params"][name] = value;
        for (const manifest::BoundArgument& a : p.args) j["arguments"].push_back(describe(p, a));
        if (output_bytes(p) <= kMostOutput && !emulate(e, some_blocks(p), pool, j)) why = "does not end";
    } catch (const Error& e) { why = e.what(); } catch (const Unsupported& u) {
        why = u.what();
    }
    return j;
}

void bundle_all(const std::string& folder) {
    std::filesystem::create_directories(folder);
    conformance::Pool pool;
    json cases = json::array(), left_out = json::array();
    for (const std::string& path : manifest::shipped()) {
        const manifest::Kernel kernel = manifest::load(path);
        std::vector<std::vector<std::string>> faults{{}};
        for (const manifest::Fault& f : kernel.faults) faults.push_back({f.name});
        for (const auto& fault : faults) {
            for (const auto& [preset, settings] : kernel.presets) {
                std::string why;
                manifest::BindOptions options;
                options.preset = preset, options.faults = fault;
                json j = bundle(kernel, options, pool, why);
                fmt::print(
                    stderr,
                    "{}{}{} {}{}\n",
                    kernel.name,
                    fault.empty() ? "" : "+",
                    fault.empty() ? "" : fault.front(),
                    preset,
                    why.empty() ? "" : ": " + why
                );
                if (why.empty())
                    cases.push_back(j);
                else
                    left_out.push_back({
                        {"kernel", kernel.name  },
                        {"fault",  j.at("fault")},
                        {"preset", preset       },
                        {"why",    why          }
                    });
            }
        }
    }
    std::ofstream(folder + "/lineage.json") << json{
        {"cases",    cases   },
        {"left_out", left_out}
    }.dump();
    conformance::write_compressed(folder + "/data.z", pool.bytes);
    fmt::print("{} cases, {} left out\n", cases.size(), left_out.size());
}

}  // namespace
}  // namespace wl::test

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: lineage_bundle FOLDER\n", stderr);
        return 2;
    }
    try {
        wl::test::bundle_all(argv[1]);
        return 0;
    } catch (const std::exception& e) {
        std::fprintf(stderr, "lineage_bundle: %s\n", e.what());
        return 2;
    }
}
