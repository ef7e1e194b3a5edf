// cudaMalloc(&d_x, n * sizeof(float)) says that x has n elements.
#include "app/cli/init/sizes.h"

#include "instrumentation/base/error.h"

#include <cstdlib>

namespace wl::app {
namespace {

// Of at least one element, with the usual sizes and with the ragged ones.
bool is_extent(const Guess& guess, const std::string& expression) {
    std::map<std::string, double> usual, ragged;
    for (const auto& [name, value] : guess.kernel.params)
        usual[name] = ragged[name] = std::strtod(value.c_str(), nullptr);
    for (const auto& [name, value] : guess.ragged) ragged[name] = std::strtod(value.c_str(), nullptr);
    try {
        return manifest::evaluate(expression, usual, "") >= 1 &&
            manifest::evaluate(expression, ragged, "") >= 1;
    } catch (const Error&) { return false; }
}

}  // namespace

void take_host_sizes(
    Guess& guess,
    const SourceText& source,
    const LaunchText& launch,
    const std::map<std::string, std::string>& known
) {
    for (size_t i = 0; i < guess.kernel.args.size() && i < launch.args.size(); ++i) {
        manifest::Argument& argument = guess.kernel.args[i];
        if (argument.shape.empty()) continue;
        uint64_t element = size_of(argument.dtype);
        for (size_t lane = 1; lane < argument.shape.size(); ++lane)
            element *= static_cast<uint64_t>(std::stoll(argument.shape[lane]));
        for (const HostValue& allocation : source.allocations) {
            if (allocation.name != launch.args[i]) continue;
            const auto elements = manifest_elements(source, allocation, element, known);
            if (!elements || !is_extent(guess, *elements)) continue;
            argument.shape.front() = *elements;
            guess.sized.insert(argument.name);
        }
    }
}

}  // namespace wl::app
