// By functions of libwarplens_cuda.so (shim/cudart/beside.cpp), which knows the device's memory.
#include "shim/libraries/calls.h"

#include "instrumentation/runtime/host_access.h"

#include <atomic>
#include <utility>

extern "C" {
int cudaGetDevice(int* device);
// NOLINTBEGIN(bugprone-reserved-identifier): of our stand-in
int __cudaSubmitWork(void* stream, void (*work)(void*), void (*drop)(void*), void* data);
void __cudaDoWork();
int __cudaCopyMemory(void* to, const void* from, size_t bytes);
int __cudaFindMemory(const void* at, size_t bytes);
void __cudaTellMissing(const char* what, const void* caller);
void __cudaTellPlain(const char* function);
void __cudaTellNote(const char* text);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace wl::libraries {
namespace {

struct Job {
    std::string function;
    std::function<void()> work;
    int status = 0;
    bool returned = false;  // the call has answered
};

void run(Job& job) {
    job.status = answered([&job] {
        job.work();
        return 0;
    });
    if (job.status != 0 && job.returned)
        tell_note(
            job.function + " had answered success, and failed when it was done: status " +
            std::to_string(job.status)
        );
}

Failure not_there(const char* what) {
    return {
        kStatuses.failed,
        std::string("a wrong address for ") + what +
            ": not all of its bytes are memory that the program has"};
}

}  // namespace

void tell_note(const std::string& text) { __cudaTellNote(text.c_str()); }

void tell_plain(const char* function) { __cudaTellPlain(function); }

int unsupported(const char* what, const void* caller) {
    __cudaTellMissing(what, caller);
    return kStatuses.not_supported;
}

void refuse(const char* what, const void* caller) { throw Failure{unsupported(what, caller)}; }

bool write_value(void* to, const void* from, size_t bytes) { return runtime::write_host(to, from, bytes); }
bool read_value(void* to, const void* from, size_t bytes) { return runtime::read_host(to, from, bytes); }

void* new_handle() {
    static std::atomic<uintptr_t> last = uintptr_t{0xff} << 48;
    return reinterpret_cast<void*>(last += 16);  // NOLINT(performance-no-int-to-ptr): it is never followed
}

bool has_device() {
    int device = 0;
    return cudaGetDevice(&device) == 0;
}

void require_memory(const void* at, int64_t count, size_t size, const char* what) {
    size_t bytes = 0;
    require(count >= 0 && !__builtin_mul_overflow(static_cast<size_t>(count), size, &bytes));
    if (bytes == 0) return;
    require(at != nullptr);
    if (__cudaFindMemory(at, bytes) != 0) throw not_there(what);
}

void fetch(void* to, const void* at, size_t bytes, const char* what) {
    if (bytes != 0 && __cudaCopyMemory(to, at, bytes) != 0) throw not_there(what);
}

void store(void* at, const void* from, size_t bytes, const char* what) {
    if (bytes != 0 && __cudaCopyMemory(at, from, bytes) != 0) throw not_there(what);
}

int submit(const char* function, void* stream, When when, std::function<void()> work) {
    const auto job = std::make_shared<Job>(Job{function, std::move(work)});
    const int error = __cudaSubmitWork(
        stream,
        [](void* data) { run(**static_cast<std::shared_ptr<Job>*>(data)); },
        [](void* data) { delete static_cast<std::shared_ptr<Job>*>(data); },
        new std::shared_ptr<Job>(job)
    );
    if (error != 0) return kStatuses.failed;
    if (when == When::at_once) __cudaDoWork();
    job->returned = true;
    tell_plain(function);
    return job->status;
}

std::function<double()> scalar(const void* at, bool is_double, bool by_device) {
    const auto read = [at, is_double] {
        double value = 0;
        float single = 0;
        if (is_double)
            fetch(&value, at, sizeof value, "a factor");
        else
            fetch(&single, at, sizeof single, "a factor"), value = single;
        return value;
    };
    require_memory(at, 1, is_double ? sizeof(double) : sizeof(float), "a factor");
    if (by_device) return read;
    return [value = read()] { return value; };
}

}  // namespace wl::libraries
