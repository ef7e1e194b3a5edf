#include "shim/guard/guard.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/page_guard.h"
#include "instrumentation/runtime/host_access.h"
#include "shim/cuda/state.h"
#include "shim/cudart/arrays.h"
#include "shim/cudart/pools.h"
#include "shim/cudart/streams.h"
#include "shim/guard/caller.h"

#include <cxxabi.h>
#include <mutex>
#include <new>
#include <optional>
#include <pthread.h>
#include <unwind.h>
#include <utility>

// Of the section of functions that are not there (shim/cudart/missing.cpp, shim/cuda/names.cpp), by the
// linker.
extern "C" const char __start_wl_missing[], __stop_wl_missing[];

namespace wl::guard {
namespace {

thread_local const void* place = nullptr;

int said(const Rules& rules, const std::string& what, int error) {
    const cudart::Call call = cudart::begin_without_looking();
    const std::string text = std::string(rules.name) + ": " + what;
    runtime::tell_error_once(call.machine, text);
    return refused(rules, error);
}

}  // namespace

const void* caller() { return place; }

namespace {

struct Walk {
    const void* inner = nullptr;
    bool there = false;
    size_t count = 0;
    std::array<const void*, 4> outer = {};
};

_Unwind_Reason_Code walk(_Unwind_Context* frame, void* data) {
    auto& w = *static_cast<Walk*>(data);
    const auto* at =
        reinterpret_cast<const void*>(_Unwind_GetIP(frame));  // NOLINT(performance-no-int-to-ptr): of code
    if (w.there) w.outer[w.count++] = at;
    if (w.count == w.outer.size()) return _URC_END_OF_STACK;
    w.there = w.there || at == w.inner;
    return _URC_NO_REASON;
}

}  // namespace

std::array<const void*, 4> outer_callers() {
    Walk w{place};
    _Unwind_Backtrace(walk, &w);
    return w.outer;
}

namespace {
struct UnderWay {
    std::mutex lock;  // taken after the machine's
    int calls = 0;    // of all threads
    bool is_guarded = false;
};
// Takes nothing of the heap, whose locks a child has not given back when it comes to this.
constinit UnderWay under_way;

// A child has none of the threads whose calls are under way, and one of them may hold the lock.
struct AtFork {
    AtFork() {
        pthread_atfork(nullptr, nullptr, [] { new (&under_way) UnderWay; });
    }
} at_fork;

}  // namespace

void Entered::enter() const {
    std::vector<PageTouch> touches;
    {
        UnderWay& now = under_way;
        const std::scoped_lock lock(now.lock);
        if (now.calls++ == 0 && std::exchange(now.is_guarded, false)) touches = release_pages();
    }
    if (touches.empty()) return;
    const cudart::Call call = cudart::begin_without_looking();
    runtime::look_at_guarded(call.machine, touches);
}

void Entered::leave() const {
    std::optional<cudart::Call> call;
    if (runtime::is_watching()) call.emplace(cudart::begin_without_looking());
    UnderWay& now = under_way;
    const std::scoped_lock lock(now.lock);
    if (--now.calls != 0 || !call) return;
    runtime::guard_host(call->machine);
    now.is_guarded = true;
}

Entered::Entered(const Rules& rules, const void* caller) :
    outer(std::exchange(place, caller)),
    outer_caller(runtime::issuing().caller),
    outer_name(runtime::issuing().name) {
    runtime::issuing().caller = caller, runtime::issuing().name = rules.name.data();
    enter();
    if (rules.anywhere) return;
    if (cudart::is_forked())
        error = cudart::refuse_child();
    else if (rules.api == Api::runtime)
        cudart::note_use(true);
    else if (!cuda::initialised())
        error = cuda::refuse(
            CUDA_ERROR_NOT_INITIALIZED, "the program calls " + std::string(rules.name) + " before cuInit"
        );
}

Entered::~Entered() {
    leave();
    place = outer;
    runtime::issuing().caller = outer_caller, runtime::issuing().name = outer_name;
}

int refused(const Rules& rules, int error) {
    return rules.api == Api::runtime ? cudart::done(static_cast<cudaError_t>(error)) : error;
}

int caught(const Rules& rules) {
    try {
        throw;
    } catch (const abi::__forced_unwind&) {
        throw;  // the thread ends
    } catch (const std::bad_alloc&) {
        return refused(rules, cudaErrorMemoryAllocation);
    } catch (const std::length_error&) {
        return refused(rules, cudaErrorMemoryAllocation);
    } catch (const Unsupported& e) {
        return said(rules, e.what(), cudaErrorNotSupported);
    } catch (const std::exception& e) { return said(rules, e.what(), cudaErrorUnknown); } catch (...) {
        return refused(rules, cudaErrorUnknown);
    }
}

bool is_missing(const void* implementation) {
    return implementation >= __start_wl_missing && implementation < __stop_wl_missing;
}

bool holds_object(const void* at, size_t bytes) { return runtime::is_readable(at, bytes); }
bool takes_object(void* at, size_t bytes) { return runtime::is_writable(at, bytes); }
bool holds_text(const char* at) {
    std::string text;
    return runtime::read_text(at, text);
}

int error_of_graph(const void* handle) { return cudart::is_graph(handle) ? kNone : kInvalidValue; }
int error_of_node(const void* handle) { return cudart::is_node(handle) ? kNone : kInvalidValue; }
int error_of_instance(const void* handle) { return cudart::is_instance(handle) ? kNone : kInvalidValue; }
int error_of_array(const void* handle) {
    return handle == nullptr || cudart::is_array(handle) ? kNone : cudaErrorInvalidResourceHandle;
}
int error_of_pool(const void* handle) { return cudart::is_pool(handle) ? kNone : kInvalidValue; }

}  // namespace wl::guard
