// The one place that knows how a run is written down.
#include "app/worker/kernel_options.h"

#include <fmt/format.h>

namespace wl::app {

std::vector<std::string> words_of(const KernelOptions& o) {
    const KernelOptions plain;
    std::vector<std::string> words = {o.kernel};
    const auto add = [&words](const char* option, const std::string& value, const std::string& otherwise) {
        if (value != otherwise) words.insert(words.end(), {option, value});
    };
    const auto add_number = [&](const char* option, uint64_t value, uint64_t otherwise) {
        add(option, std::to_string(value), std::to_string(otherwise));
    };
    for (const std::string& fault : o.faults) add("--fault", fault, "");
    add("--launch", o.launch, "");
    add("--preset", o.preset, "");
    add("--shape", o.shape, "");
    if (o.causal) words.emplace_back("--causal");
    for (const std::string& setting : o.set) add("--set", setting, "");
    add("--inputs", o.inputs, "");
    add("--check", o.check, "");
    add("--on", o.on, plain.on);
    add_number("--device", static_cast<uint64_t>(o.device), 0);
    add("--host", o.host, "");
    add("--remote-warplens", o.remote_program, "");
    add("--arch", o.arch, plain.arch);
    add_number("--seed", o.seed, 0);
    add_number("--schedule", o.schedule, 0);
    add_number("--budget", o.budget, 0);
    add_number("--threads", static_cast<uint64_t>(o.threads), 0);
    for (const std::string& block : o.record) add("--record", block, "");
    if (o.search) words.insert(words.end(), {"--search", std::to_string(*o.search)});
    for (const std::string& idea : o.ideas) add("--try", idea, "");
    add_number("--record-limit", o.record_limit, plain.record_limit);
    if (o.trust) words.emplace_back("--trust");
    return words;
}

void repeat_launch(KernelOptions& o, const capture::Launch& launch) {
    o.faults = launch.faults;
    o.set.clear();
    for (const auto& [name, value] : launch.params) o.set.push_back(fmt::format("{}={}", name, value));
    o.preset.clear(), o.shape.clear();
    o.causal = false;
    o.inputs = launch.inputs == "manifest" ? "" : launch.inputs;
    o.seed = launch.seed;
    o.launch = launch.all > 1 ? std::to_string(launch.number) : "";
    o.schedule = launch.schedule_seed;
    if (!launch.arch.empty()) o.arch = launch.arch;
}

}  // namespace wl::app
