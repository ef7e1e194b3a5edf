// One machine a process, never destroyed: programs launch from atexit, too.
#include "shim/cudart/state.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/output/terminal.h"
#include "shim/cudart/streams.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace wl::cudart {
namespace {

struct State {
    std::recursive_mutex mutex;
    runtime::Machine machine = runtime::make_machine();
    int64_t process = runtime::process_id();
    bool told_fork = false;
    std::atomic<bool> ends = false;  // threads that still call let the one through that ends the process
};

State& state() {
    static State* const kState = new State;
    return *kState;
}

constexpr double kSecondsAtEnd = 3;

thread_local cudaError_t last = cudaSuccess;
thread_local int in_driver = 0;
thread_local bool used = false;

// The end by exit or by the end of main; of a process that dies nobody hears.
struct AtEnd {
    ~AtEnd() {
        State& s = state();
        s.ends = true;
        // A child that never called us may find the lock taken by a thread that it has not.
        std::unique_lock lock(s.mutex, std::defer_lock);
        if (runtime::process_id() == s.process || s.told_fork) {
            lock.lock();
            runtime::catch_up_for(s.machine, kSecondsAtEnd);  // for its findings: nobody can look any more
        }
        s.machine.later.over = true;
        flush_printed(s.machine);
        runtime::tell(s.machine.settings, {runtime::Event::Kind::ended, {}, "", 0});
    }
} at_end;

}  // namespace

Call begin() {
    Call call = begin_without_looking();
    runtime::catch_up(call.machine);
    return call;
}

Call begin_without_looking() {
    State& s = state();
    if (in_driver == 0) used = true;
    if (s.ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
        print_notice(std::string("warplens: ") + what + " is not supported\n");
    runtime::tell_unsupported(call.machine, what);
    return done(cudaErrorNotSupported);
}

cudaError_t gone(runtime::Machine& machine, const std::string& what, bool by_reset) {
    const std::string why =
        by_reset ? " that cudaDeviceReset has destroyed" : " that is not there, or that it had destroyed";
    if (machine.unsupported.insert(what + why).second)
        runtime::tell_note(machine, "the program uses " + what + why);
    return by_reset ? cudaErrorContextIsDestroyed : cudaErrorInvalidResourceHandle;
}

}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaGetLastError() {
    const Call call = begin_without_looking();
    const cudaError_t stays = lasting(call.machine);
    const cudaError_t was = stays != cudaSuccess ? stays : last;
    last = cudaSuccess;
    return was;
}

cudaError_t cudaPeekAtLastError() {
    const Call call = begin_without_looking();
    const cudaError_t stays = lasting(call.machine);
    return stays != cudaSuccess ? stays : last;
}

cudaError_t cudaDeviceSynchronize() {
    const Call call = begin_without_looking();
    flush_printed(call.machine);
    return done(lasting(call.machine));
}

cudaError_t cudaDeviceReset() {
    const Call call = begin();
    flush_printed(call.machine);
    wl::runtime::reset(call.machine);
    end_streams(), end_events();
    return cudaSuccess;
}
}
