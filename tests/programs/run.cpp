// Compiles by NVRTC, runs in the emulator.
#include "instrumentation/emulator/run.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/compile/compile.h"
#include "instrumentation/emulator/poison/poison.h"
#include "tests/conformance/bundle.h"
#include "tests/programs/program.h"

#include <filesystem>
#include <fmt/format.h>
#include <xxhash.h>

namespace wl::programs {
namespace {

using Kind = Argument::Kind;

// Each value at a multiple of its size, as PTX lays parameters out.
void append(std::vector<std::byte>& params, const std::vector<std::byte>& bytes) {
    params.resize((params.size() + bytes.size() - 1) / bytes.size() * bytes.size());
    params.insert(params.end(), bytes.begin(), bytes.end());
}

std::vector<std::byte> bytes_of(uint64_t address) {
    const auto* begin = reinterpret_cast<const std::byte*>(&address);
    return {begin, begin + sizeof address};
}

uint64_t handle_of(execution::GlobalMemory& memory, const Argument& a, uint64_t texels) {
    execution::Texture texture = a.image.texture;
    texture.data = texels;
    return execution::add_texture(memory, std::move(texture));
}

std::string told(const emulator::Program& program, const execution::Incident& incident) {
    const auto all = emulator::sites(program);
    const auto line = [&all](const execution::Access& a) {
        return a.site < all.size() ? all[a.site].line : 0;
    };
    return fmt::format(
        "kind {} at line {} (and {}), block {} warp {} lanes {:08x}, {} {:#x}, {} times: {}",
        static_cast<int>(incident.kind),
        line(incident.first),
        line(incident.second),
        incident.first.block,
        incident.first.warp,
        incident.first.lanes,
        incident.first.memory,
        incident.first.address,
        incident.count,
        incident.detail
    );
}

// From the repository.
std::string relative_source(const Program& program) {
    for (const char* folder : {"language", "numerics", "parallel"}) {
        std::string path = fmt::format("tests/programs/{}/{}.cu", folder, program.name);
        if (std::filesystem::exists(WL_SOURCE_DIR "/" + path)) return path;
    }
    throw Error("There is no tests/programs/*/" + program.name + ".cu.");
}

}  // namespace

std::string source_path(const Program& program) { return WL_SOURCE_DIR "/" + relative_source(program); }

std::string ptx_of(const Program& program) {
    compile::CompileOptions options;
    options.source_path = source_path(program);
    options.display_path = relative_source(program);
    options.marks = false;
    return compile::compile(options).ptx;
}

bool is_compared(const Argument& a) {
    return a.kind == Kind::changed || a.kind == Kind::output || (a.kind == Kind::image && a.image.surface);
}

size_t compared_bytes(const Program& program) {
    size_t bytes = 0;
    for (const Argument& a : program.arguments)
        if (is_compared(a)) bytes += a.bytes.size();
    return bytes;
}

uint64_t hash_of(const Program& p) {
    const std::string source = read_text_file(source_path(p));
    uint64_t hash = XXH3_64bits(source.data(), source.size());
    const auto add = [&hash](const void* data, size_t size) {
        hash = XXH3_64bits_withSeed(data, size, hash);
    };
    const uint32_t launch[] = {
        p.grid.x, p.grid.y, p.grid.z, p.block.x, p.block.y, p.block.z, p.dynamic_shared, p.cooperative};
    add(launch, sizeof launch);
    for (const Argument& a : p.arguments) {
        add(&a.kind, sizeof a.kind);
        add(a.bytes.data(), a.bytes.size());
        if (a.kind != Kind::image) continue;
        const std::string form = conformance::described(a.image).dump();
        add(form.data(), form.size());
    }
    return hash;
}

Outcome emulate(const Program& p, uint64_t schedule) {
    const ptx::Module module = ptx::parse(ptx_of(p));
    const auto program = emulator::lower(module, p.name);
    execution::GlobalMemory memory;
    execution::Launch launch;
    launch.grid = p.grid, launch.block = p.block, launch.dynamic_shared = p.dynamic_shared;
    launch.cooperative = p.cooperative;
    std::vector<uint64_t> addresses;
    for (size_t i = 0; i < p.arguments.size(); ++i) {
        const Argument& a = p.arguments[i];
        const bool initialised = a.kind != Kind::output && a.kind != Kind::scratch;
        if (a.kind == Kind::value) {
            append(launch.params, a.bytes);
            continue;
        }
        const uint64_t address = execution::allocate(memory, fmt::format("p{}", i), a.bytes, initialised);
        append(launch.params, bytes_of(a.kind == Kind::image ? handle_of(memory, a, address) : address));
        if (is_compared(a)) addresses.push_back(address);
    }
    execution::GlobalMemory untouched = memory;
    execution::RunOptions options;
    options.budget = 1u << 24;
    options.schedule_seed = schedule;
    const execution::RunResult run = emulator::run(*program, launch, memory, options);
    Outcome outcome;
    for (const execution::Incident& incident : run.incidents)
        outcome.incidents.push_back(told(*program, incident));
    const emulator::PoisonTrace trace = emulator::trace_poison({module, *program, launch, untouched}, {});
    for (const execution::Incident& incident : trace.incidents)
        outcome.incidents.push_back(told(*program, incident));
    for (const execution::Printed& printed : run.printed) outcome.printed += printed.text;
    for (const uint64_t address : addresses) {
        const auto& bytes = execution::find(memory, address, 1)->bytes;
        outcome.bytes.insert(outcome.bytes.end(), bytes.begin(), bytes.end());
    }
    return outcome;
}

}  // namespace wl::programs
