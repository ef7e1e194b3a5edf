// What the libraries that stand in for others beside this one (shim/libraries) ask of it.
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/runtime/host_access.h"
#include "shim/cudart/copies.h"
#include "shim/cudart/state.h"

#include <string>

using namespace wl::cudart;

// NOLINTBEGIN(bugprone-reserved-identifier): names that no program has
extern "C" {

// Work of theirs that reads and writes the device's memory, in the order of the stream. `drop` gives `data`
// back.
cudaError_t __cudaSubmitWork(
    cudaStream_t stream, void (*work)(void* data), void (*drop)(void* data), void* data
) {
    const std::shared_ptr<void> kept(data, drop);
    return done(submit(stream, cudaGraphNodeTypeKernel, [work, kept] {
        const Call call = begin_without_looking();
        const wl::order::OperationPointer operation = wl::runtime::issue(call.machine);
        wl::runtime::put_off_unless_seen(call.machine, [work, kept, operation, &m = call.machine] {
            if (operation == nullptr) return work(kept.get());
            wl::runtime::do_held(m, operation->before);
            const wl::runtime::InStream issued(*operation);
            work(kept.get());
        });
        return sticky_error(call.machine);
    }));
}

// What waits is done.
void __cudaDoWork() { begin(); }

// In no stream: inside of such work, or where the program waits. What waits is done first.
cudaError_t __cudaCopyMemory(void* to, const void* from, size_t bytes) {
    return copy_now({address_of(to), bytes, bytes}, {address_of(from), bytes, bytes}, {bytes});
}

// All of it lies in one allocation that the program has not freed, or is memory of the host.
cudaError_t __cudaFindMemory(const void* at, size_t bytes) {
    const Call call = begin_without_looking();
    const wl::runtime::DeviceMemory& memory = call.machine.memory;
    const wl::runtime::Region* region = wl::runtime::region_of(memory, address_of(at));
    if (region == nullptr) return wl::runtime::is_readable(at, bytes) ? cudaSuccess : cudaErrorInvalidValue;
    const uint64_t begin = address_of(at) - region->base;
    const bool inside = bytes <= region->bytes && begin <= region->bytes - bytes;
    const wl::runtime::DeferredWork& later =
        call.machine.later;  // what waits comes before what is freed meanwhile
    const bool freed = !later.doing && later.freed.contains(region->base);
    return inside && !freed ? cudaSuccess : cudaErrorInvalidValue;
}

// `caller`: where the program goes on after the call.
void __cudaTellMissing(const char* what, const void* caller) {
    const Call call = begin();
    if (!call.machine.unsupported.contains(what))
        wl::print_notice(std::string("warplens: ") + what + " is not supported\n");
    wl::runtime::tell_unsupported(call.machine, what, caller);
}

// A function that is answered by a plain version, not by NVIDIA's code.
void __cudaTellPlain(const char* function) {
    const Call call = begin_without_looking();
    if (call.machine.plain.insert(function).second)
        wl::runtime::tell(call.machine.settings, {wl::runtime::Event::Kind::plain, {}, function, 0});
}

void __cudaTellNote(const char* text) {
    const Call call = begin_without_looking();
    wl::runtime::tell_note_once(call.machine, text);
}
}
// NOLINTEND(bugprone-reserved-identifier)
