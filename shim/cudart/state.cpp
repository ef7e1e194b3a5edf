// One machine a process, never destroyed: programs launch from atexit, too.
#include "shim/cudart/state.h"

#include "instrumentation/base/output/terminal.h"
#include "instrumentation/runtime/failed.h"
#include "instrumentation/runtime/residents.h"
#include "shim/cudart/streams.h"
#include "shim/guard/caller.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <thread>

namespace wl::cudart {
namespace {

struct State {
    std::recursive_mutex mutex;
    runtime::Machine machine = runtime::make_machine();
    std::atomic<bool> used = false;    // the device
    std::atomic<bool> forked = false;  // from a process that had used it
    bool told_fork = false;
    std::atomic<bool> ends = false;  // threads that still call let the one through that ends the process
};

State& state() {
    static State* const kState = new State;
    return *kState;
}

constexpr double kSecondsAtEnd = 3;

thread_local cudaError_t last = cudaSuccess;
thread_local bool used = false;

// The end by exit or by the end of main; of a process that dies nobody hears.
struct AtEnd {
    ~AtEnd() {
        State& s = state();
        s.ends = true;
        if (s.forked) return;  // what waits, and what was printed, is the parent's
        const std::unique_lock lock(s.mutex);
        runtime::look_at_guarded(s.machine, release_pages());
        runtime::end_residents(s.machine, "the program ended before anybody did that");
        runtime::do_held(s.machine);
        runtime::catch_up_for(s.machine, kSecondsAtEnd);  // for its findings: nobody can look any more
        s.machine.later.over = true;
        flush_printed(s.machine);
        runtime::tell(s.machine.settings, {runtime::Event::Kind::ended, {}, "", 0});
    }
} at_end;

// A child has one thread, and the lock may be held by one that it has not: it gets a lock of its own. Of what
// the lock guards it touches nothing, as all of its calls fail; where the device was never used, nobody held
// the lock.
struct AtFork {
    AtFork() {
        pthread_atfork(nullptr, nullptr, [] {
            State& s = state();
            s.forked = s.forked || s.used;
            new (&s.mutex) std::recursive_mutex;
        });
    }
} at_fork;

}  // namespace

Call begin() {
    Call call = begin_without_looking();
    runtime::catch_up(call.machine);
    return call;
}

Call begin_without_looking() {
    State& s = state();
    if (s.ends) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {std::unique_lock(s.mutex), s.machine};
}

void note_use(bool by_runtime) {
    if (by_runtime) used = true;
    state().used = true;
}
bool used_runtime() { return used; }
bool is_used() { return state().used; }

bool is_forked() { return state().forked; }

cudaError_t refuse_child() {
    State& s = state();
    if (!s.told_fork)
        runtime::tell_note(
            s.machine,
            "the program forked after it had used the device, and the child uses it too: every call of the "
            "child "
            "fails (cudaErrorInitializationError), as on a GPU"
        );
    s.told_fork = true;
    return cudaErrorInitializationError;
}

cudaError_t done(cudaError_t error) {
    if (error != cudaSuccess && error != cudaErrorNotReady) last = error;
    return error;
}

cudaError_t error_of(runtime::Failure failure) {
    using runtime::Failure;
    // NOLINTBEGIN(bugprone-branch-clone): a row each
    switch (failure) {
        case Failure::none: return cudaSuccess;
        case Failure::invalid_value: return cudaErrorInvalidValue;
        case Failure::invalid_configuration: return cudaErrorInvalidValue;  // of CUDA 13
        case Failure::out_of_resources: return cudaErrorLaunchOutOfResources;
        case Failure::invalid_kernel: return cudaErrorInvalidDeviceFunction;
        case Failure::unsupported: return cudaErrorNotSupported;
        case Failure::cooperative_too_large: return cudaErrorCooperativeLaunchTooLarge;
        case Failure::launch_failure: return cudaErrorLaunchFailure;
        case Failure::assertion: return cudaErrorAssert;
        case Failure::endless: return cudaErrorLaunchTimeout;
    }
    // NOLINTEND(bugprone-branch-clone)
    return cudaErrorUnknown;
}

cudaError_t sticky_error(const runtime::Machine& machine) { return error_of(machine.sticky_error); }

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
    runtime::tell_unsupported(call.machine, what, guard::caller());
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
    const cudaError_t stays = sticky_error(call.machine);
    const cudaError_t was = stays != cudaSuccess ? stays : last;
    last = cudaSuccess;
    wl::runtime::note_asked(call.machine);
    return was;
}

cudaError_t cudaPeekAtLastError() {
    const Call call = begin_without_looking();
    wl::runtime::note_asked(call.machine);
    const cudaError_t stays = sticky_error(call.machine);
    return stays != cudaSuccess ? stays : last;
}

cudaError_t cudaDeviceSynchronize() {
    if (const cudaError_t error = unsafe_while_captured(); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    wl::runtime::host_waits_for_device(call.machine);
    flush_printed(call.machine);
    return done(sticky_error(call.machine));
}

cudaError_t cudaDeviceReset() {
    const Call call = begin();
    flush_printed(call.machine);
    wl::runtime::end_residents(call.machine, "the program reset the device before anybody did that");
    wl::runtime::reset(call.machine);
    wl::runtime::host_waits_for_device(call.machine);
    end_streams(), end_events();
    return cudaSuccess;
}
}
