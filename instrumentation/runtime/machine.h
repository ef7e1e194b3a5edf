// All that the runtime of one process knows. One lock guards it: calls of several threads come one after the
// other.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/runtime/deferred_work.h"
#include "instrumentation/runtime/device_memory.h"
#include "instrumentation/runtime/module.h"
#include "instrumentation/runtime/ordering.h"
#include "instrumentation/runtime/report.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wl::runtime {

// What becomes of a launch, in the runtime's words.
enum class Failure : uint8_t {
    none,
    invalid_value,
    invalid_configuration,
    out_of_resources,
    invalid_kernel,  // no such kernel, or none that can be run
    unsupported,
    cooperative_too_large,
    launch_failure,  // it trapped; this and what follows stays until the process ends
    assertion,
    endless,
};

// Launches of one kernel with the same parameters.
struct Repeats {
    uint64_t count = 0;
    // Behind it the contents of memory had this version, and the same launch would have changed nothing; ~0:
    // none did. `reached`: as long as these allocations are as they were; nothing: all memory.
    uint64_t idle_at = ~uint64_t{0};
    std::optional<std::vector<uint64_t>> reached;
    Touches touched;      // by the last one that was executed; nullptr: not known
    bool fences = false;  // it hands data on through memory
    bool calm = false;    // it was executed, and nothing was found, printed or allocated
};

// Whether one more would change nothing.
bool is_idle(const Repeats& repeats, const DeviceMemory& memory);

// The launch that showed some findings first; 0: they were none after all.
struct Shown {
    int number = 0;
    int64_t process = 0;  // before a fork it was another one
};

struct Machine {
    Settings settings;
    execution::Executor executor;
    DeviceMemory memory;
    std::vector<std::unique_ptr<Module>> modules;
    std::map<const void*, Kernel> kernels;  // by the address of the host's stub
    std::map<const void*, Symbol> symbols;  // by the address of the host's shadow
    DeferredWork later;
    Ordering ordering;
    int launches = 0;
    Failure sticky_error = Failure::none;
    std::string printed;  // by kernels, since the program last waited for the device
    uint32_t stack_bytes = 1024;
    bool has_streams = false;                      // the program made some, whose work a GPU may do at once
    std::map<std::string, Repeats> repeats;        // by kernel, shape and parameters
    std::map<std::string, uint64_t> shapes;        // launches by kernel and shape
    std::map<std::string, Shown> known;            // findings: the launch that showed them first
    std::map<std::string, std::string> meant;      // memory: the argument that should have pointed to it
    std::set<std::string> explained, unsupported;  // kernels once looked at; functions once told
    std::set<std::string> plain;                   // functions that plain versions answered
    std::shared_ptr<execution::GlobalMemory> snapshot;  // before the last launch
    uint64_t snapshot_version = 0;
};

// Reads its settings from the environment.
Machine make_machine();

// Once: a function that is missing; `caller`: where the program goes on after the call.
void tell_unsupported(Machine& machine, const std::string& function, const void* caller);
void tell_error(Machine& machine, const std::string& text);
void tell_note(Machine& machine, const std::string& text);
// Once each, whoever says it.
void tell_error_once(Machine& machine, const std::string& text);
void tell_note_once(Machine& machine, const std::string& text);

// Device address of a module's variable, which is placed when it is first asked for; a constant one has its
// bytes there too. 0: there is none of the name.
uint64_t address_of(Machine& machine, Module& module, const std::string& variable);

// As cudaDeviceReset leaves it: nothing allocated, variables as they began, no failure that lasts.
void reset(Machine& machine);

// What the emulator placed becomes known as variables.
void place_new_variables(Machine& machine);

// All variables that the entry reaches, at addresses that nothing had before.
void place_variables(Machine& machine, Module& module, const std::string& entry);

// The memory of a managed variable, which the host and kernels see at the same address; 0: there is no room.
uint64_t place_managed(Machine& machine, const Symbol& symbol);

// What a program asks of a launch; `args`: a pointer for each parameter.
struct Request {
    Dim3 grid, block;
    uint64_t shared = 0;
    bool cooperative = false;
    bool programmatic = false;  // it may begin before the launch before it in its stream is over
    std::vector<std::byte> params;
};
// The parameter buffer of the kernel from pointers to its arguments; nothing: these are not all there. Throws
// as `parsed` does.
std::optional<std::vector<std::byte>> params_from(Machine& machine, Kernel& kernel, void** args);

Failure launch(Machine& machine, Kernel& kernel, const Request& request);

// Why a device of the emulated kind would not start it; empty: it would.
struct Refusal {
    Failure failure = Failure::none;
    std::string said;
};
Refusal refused(
    const Kernel& kernel, const ptx::Function& entry, uint32_t static_shared, const Request& request
);
// The same of a kernel that is made ready for it. Throws as `parsed` and `ready` do.
Refusal refused_shape(Machine& machine, Kernel& kernel, const Request& request);

}  // namespace wl::runtime
