// Parameters are the buffers' addresses, then the value at a multiple of 16 bytes.
#include "tests/conformance/emulate.h"

#include "instrumentation/base/error.h"
#include "instrumentation/emulator/run.h"

#include <cstring>

namespace wl::conformance {
namespace {

std::vector<std::byte> params_of(const Case& c, const std::vector<uint64_t>& addresses) {
    std::vector<std::byte> params(addresses.size() * sizeof(uint64_t));
    if (!addresses.empty()) std::memcpy(params.data(), addresses.data(), params.size());
    if (c.value.empty()) return params;
    params.resize((params.size() + 15) / 16 * 16);
    params.insert(params.end(), c.value.begin(), c.value.end());
    return params;
}

// nullptr: `refusal` says why.
std::shared_ptr<const emulator::Program> lowered(const Case& c, std::string& refusal) {
    try {
        return emulator::lower(ptx::parse(module_header() + entry_text(c, "c0")), "c0");
    } catch (const Unsupported& e) { refusal = e.what(); } catch (const Error& e) {
        refusal = std::string("not parsed: ") + e.what();
    }
    return nullptr;
}

std::string told(const execution::Incident& incident) {
    return "incident " + std::to_string(static_cast<int>(incident.kind)) + " " + incident.detail;
}

}  // namespace

std::string refusal_of(const Case& c) {
    std::string refusal;
    lowered(c, refusal);
    return refusal;
}

Emulated emulate(const Case& c) {
    Emulated result;
    const std::shared_ptr<const emulator::Program> program = lowered(c, result.refusal);
    if (program == nullptr) return result;
    execution::GlobalMemory memory;
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < c.buffers.size(); ++i)
        addresses.push_back(execution::allocate(memory, "p" + std::to_string(i), c.buffers[i].bytes));
    std::vector<uint64_t> texels;  // of the images
    for (size_t i = 0; i < c.images.size(); ++i) {
        execution::Texture texture = c.images[i].texture;
        texture.name = "t" + std::to_string(i);
        texture.data = execution::allocate(memory, texture.name, c.images[i].texels.bytes);
        texels.push_back(texture.data);
        addresses.push_back(execution::add_texture(memory, texture));
    }
    execution::Launch launch;
    launch.grid = c.grid, launch.block = c.block, launch.params = params_of(c, addresses);
    execution::RunOptions options;
    options.threads = 1, options.budget = 1u << 20;
    options.checks = {false, false, false};
    const execution::RunResult run = emulator::run(*program, launch, memory, options);
    if (!run.incidents.empty()) result.incident = told(run.incidents[0]);
    const auto keep = [&](const Buffer& b, uint64_t address) {
        if (!b.compared) return;
        const auto& bytes = execution::find(memory, address, b.bytes.size())->bytes;
        result.bytes.insert(result.bytes.end(), bytes.begin(), bytes.end());
    };
    for (size_t i = 0; i < c.buffers.size(); ++i) keep(c.buffers[i], addresses[i]);
    for (size_t i = 0; i < c.images.size(); ++i) keep(c.images[i].texels, texels[i]);
    return result;
}

}  // namespace wl::conformance
