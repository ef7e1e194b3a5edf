// One machine a process, never destroyed: programs launch from atexit, too.
#include "shim/cudart/state.h"

#include "instrumentation/base/error.h"

#include <cstdio>
#include <cstdlib>

namespace wl::cudart {
namespace {

struct State {
    std::recursive_mutex mutex;
    runtime::Machine machine = runtime::make_machine();
    int64_t process = runtime::process_id();
    bool told_fork = false;
};

State& state() {
    static State* const kState = new State;
    return *kState;
}

thread_local cudaError_t last = cudaSuccess;
thread_local int in_driver = 0;
thread_local bool used = false;

// The end by exit or by the end of main; of a process that dies nobody hears.
struct AtEnd {
    ~AtEnd() {
        flush_printed(state().machine);
        runtime::tell(state().machine.settings, {runtime::Event::Kind::ended, {}, "", 0});
    }
} at_end;

}  // namespace

Call begin() {
    State& s = state();
    if (in_driver == 0) used = true;
    Call call{std::unique_lock(s.mutex), s.machine};
    const bool child = runtime::process_id() != s.process;
    if (child && !s.told_fork && s.machine.launches > 0) {
        s.told_fork = true;
        runtime::tell_note(
            s.machine,
            "the program forked after it had used the device, and the child uses it too: on a GPU every call "
            "of the child fails (cudaErrorInitializationError); here it goes on with a copy of the memory"
        );
    }
    return call;
}

bool used_runtime() { return used; }
void enter_driver(int by) { in_driver += by; }

cudaError_t done(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last = error;
    return error;
}

cudaError_t error_of(runtime::Failure failure) {
    using runtime::Failure;
    switch (failure) {
        case Failure::none: return cudaSuccess;
        case Failure::invalid_value: return cudaErrorInvalidValue;
        case Failure::invalid_configuration: return cudaErrorInvalidConfiguration;
        case Failure::out_of_resources: return cudaErrorLaunchOutOfResources;
        case Failure::invalid_kernel: return cudaErrorInvalidDeviceFunction;
        case Failure::unsupported: return cudaErrorNotSupported;
        case Failure::cooperative_too_large: return cudaErrorCooperativeLaunchTooLarge;
        case Failure::launch_failure: return cudaErrorLaunchFailure;
        case Failure::assertion: return cudaErrorAssert;
        case Failure::endless: return cudaErrorLaunchTimeout;
    }
    return cudaErrorUnknown;
}

cudaError_t lasting(const runtime::Machine& machine) { return error_of(machine.lasting); }

void flush_printed(runtime::Machine& machine) {
    if (machine.printed.empty()) return;
    std::fwrite(machine.printed.data(), 1, machine.printed.size(), stdout);
    machine.printed.clear();
}

runtime::Kernel* kernel_of(runtime::Machine& machine, const void* function) {
    const auto found = machine.kernels.find(function);
    return found == machine.kernels.end() ? nullptr : &found->second;
}

cudaError_t unsupported(const char* what) {
    Call call = begin();
    if (!call.machine.unsupported.contains(what))
        std::fprintf(stderr, "warplens: %s is not supported\n", what);
    runtime::tell_unsupported(call.machine, what);
    return done(cudaErrorNotSupported);
}

}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaGetLastError() {
    const Call call = begin();
    const cudaError_t stays = lasting(call.machine);
    const cudaError_t was = stays != cudaSuccess ? stays : last;
    last = cudaSuccess;
    return was;
}

cudaError_t cudaPeekAtLastError() {
    const Call call = begin();
    const cudaError_t stays = lasting(call.machine);
    return stays != cudaSuccess ? stays : last;
}

cudaError_t cudaDeviceSynchronize() {
    const Call call = begin();
    flush_printed(call.machine);
    return done(lasting(call.machine));
}

cudaError_t cudaDeviceReset() {
    const Call call = begin();
    flush_printed(call.machine);
    call.machine.lasting = wl::runtime::Failure::none;
    return cudaSuccess;
}
}
