// The state of a process, its words, and variables of its modules.
#include "instrumentation/runtime/machine.h"

#include "instrumentation/emulator/run.h"
#include "instrumentation/execution/constants.h"
#include "instrumentation/runtime/place.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace wl::runtime {

Machine make_machine() {
    Machine machine;
    if (const char* text = std::getenv(kSettingsVariable)) machine.settings = settings_of(text);
    machine.executor = emulator::executor();
    tell(machine.settings, {Event::Kind::started, {}, "", 0});
    return machine;
}

void tell_unsupported(Machine& machine, const std::string& function, const void* caller) {
    if (!machine.unsupported.insert(function).second) return;
    const std::string place = machine.settings.folder.empty() ? "" : place_of(caller);
    tell(machine.settings, {Event::Kind::unsupported, {}, function, 0, place});
}

void tell_error(Machine& machine, const std::string& text) {
    tell(machine.settings, {Event::Kind::error, {}, text, 0});
}

void tell_note(Machine& machine, const std::string& text) {
    tell(machine.settings, {Event::Kind::note, {}, text, 0});
}

void tell_error_once(Machine& machine, const std::string& text) {
    if (machine.unsupported.insert(text).second) tell_error(machine, text);
}

void tell_note_once(Machine& machine, const std::string& text) {
    if (machine.unsupported.insert(text).second) tell_note(machine, text);
}

void place_new_variables(Machine& m) {
    for (const execution::Allocation& a : m.memory.global.allocations) {
        const uint64_t end = a.base + a.bytes.size();
        if (a.base < execution::kGlobalBase || m.memory.regions.contains(a.base)) continue;
        m.memory.regions[a.base] = {
            Region::Kind::variable, a.base, a.bytes.size(), nullptr, a.name, false, m.launches};
        m.memory.next = std::max(m.memory.next, (end + (64 << 10) + 511) / 512 * 512);
    }
}

namespace {

void place(Machine& machine, const ptx::Variable& v, const std::string& name) {
    DeviceMemory& memory = machine.memory;
    const uint64_t base = make(memory, v.bytes, Region::Kind::variable);
    --memory.made;
    execution::Allocation& a = *execution::find(memory.global, base, 1);
    a.name = memory.regions[base].name = name;
    a.written.clear();
    for (const ptx::Initialiser& init : v.init)
        if (init.address_of < 0 && init.offset + init.bytes.size() <= a.bytes.size())
            std::copy(init.bytes.begin(), init.bytes.end(), a.bytes.begin() + init.offset);
}

// Of an entry that reaches the variable: a launch of no blocks places what it names, addresses among the
// initial values with it.
void place_by_kernel(Machine& machine, Module& module, const std::string& variable) {
    const auto& functions = module.parsed->functions;
    for (size_t k = 0; k < functions.size(); ++k) {
        if (!functions[k].is_entry) continue;
        const std::vector<int> reached = execution::reachable_functions(*module.parsed, static_cast<int>(k));
        for (const int v : execution::reachable_variables(*module.parsed, reached)) {
            if (module.parsed->variables[static_cast<size_t>(v)].name != variable) continue;
            const execution::Executable& executable = ready(module, functions[k].name, machine.executor);
            execution::Launch nothing;
            nothing.grid = {0, 0, 0};
            nothing.params.resize(param_bytes(functions[k]));
            // Behind all that there was: the emulator knows nothing of memory that was freed.
            execution::GlobalMemory& global = machine.memory.global;
            const uint64_t top = std::max(machine.memory.next, execution::kGlobalBase);
            execution::place(global, "", top, {});
            executable.run(nothing, global, {});
            std::erase_if(global.allocations, [&](const auto& a) {
                return a.base == top && a.bytes.empty();
            });
            place_new_variables(machine);
            return;
        }
    }
}

}  // namespace

void place_variables(Machine& machine, Module& module, const std::string& entry) {
    if (!module.placed.insert(entry).second) return;
    // The emulator places all of these, wherever there seems to be room: in memory that was freed, too.
    for (const ptx::Variable& v : module.parsed->variables) {
        const bool opaque = v.type == ptx::Type::texref || v.type == ptx::Type::surfref;
        if (v.space == ptx::Space::global && v.bytes > 0 && !opaque) address_of(machine, module, v.name);
    }
    const auto& functions = module.parsed->functions;
    for (size_t k = 0; k < functions.size(); ++k) {
        if (!functions[k].is_entry || functions[k].name != entry) continue;
        const std::vector<int> reached = execution::reachable_functions(*module.parsed, static_cast<int>(k));
        for (const int v : execution::reachable_variables(*module.parsed, reached)) {
            const ptx::Variable& variable = module.parsed->variables[static_cast<size_t>(v)];
            if (variable.space == ptx::Space::constant && variable.bytes > 0)
                address_of(machine, module, variable.name);
        }
    }
}

uint64_t place_managed(Machine& machine, const Symbol& symbol) {
    DeviceMemory& memory = machine.memory;
    const uint64_t base = make(memory, symbol.bytes, Region::Kind::managed);
    if (base == 0) return 0;
    --memory.made;
    execution::find(memory.global, base, 1)->name = memory.regions[base].name = symbol.name;
    const ptx::Module* code = nullptr;
    try {
        code = &parsed(*symbol.module, machine.modules);
    } catch (const std::exception& e) {
        tell_error(machine, e.what());
        return base;
    }
    for (const ptx::Variable& v : code->variables) {
        if (v.name != symbol.name) continue;
        for (const ptx::Initialiser& init : v.init)
            if (init.address_of < 0 && init.offset + init.bytes.size() <= symbol.bytes)
                std::copy(init.bytes.begin(), init.bytes.end(), memory.regions[base].host + init.offset);
    }
    return base;
}

void reset(Machine& machine) {
    std::set<uint64_t> managed;  // variables: the program keeps their addresses
    for (const auto& [shadow, symbol] : machine.symbols)
        if (symbol.managed != nullptr) managed.insert(reinterpret_cast<uint64_t>(*symbol.managed));
    using Kind = Region::Kind;
    std::vector<uint64_t> bases;
    for (const auto& [base, region] : machine.memory.regions)
        if (!managed.contains(base)) bases.push_back(base);
    const size_t freed = machine.memory.freed.size();
    for (const uint64_t base : bases)
        release(
            machine.memory,
            base,
            {Kind::device, Kind::managed, Kind::pinned, Kind::registered, Kind::variable, Kind::array}
        );
    for (size_t k = freed; k < machine.memory.freed.size(); ++k)
        machine.memory.freed[k].name += " (until cudaDeviceReset)";
    for (const auto& module : machine.modules) module->placed.clear();
    machine.memory.host_is_reached = machine.has_streams = false;
    machine.sticky_error = Failure::none;
}

uint64_t address_of(Machine& machine, Module& module, const std::string& asked) {
    const ptx::Module& code = parsed(module, machine.modules);
    const auto other = module.renamed.find(asked);
    const std::string& name = other == module.renamed.end() ? asked : other->second;
    const auto found = std::find_if(
        code.variables.begin(), code.variables.end(), [&](const ptx::Variable& v) { return v.name == name; }
    );
    if (found == code.variables.end()) return 0;
    const bool constant = found->space == ptx::Space::constant;
    const std::string placed = constant ? execution::name_of_constant(name) : name;
    execution::GlobalMemory& global = machine.memory.global;
    const bool has_addresses = std::any_of(found->init.begin(), found->init.end(), [](const auto& init) {
        return init.address_of >= 0;
    });
    if (execution::find_named(global, placed) == nullptr && has_addresses && !constant)
        place_by_kernel(machine, module, name);
    if (execution::find_named(global, placed) == nullptr) place(machine, *found, placed);
    return execution::find_named(global, placed)->base;
}

}  // namespace wl::runtime
