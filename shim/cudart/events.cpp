// Events: instants of the host's clock. What lies between two is the emulator's time, no GPU's.
#include "shim/cudart/streams.h"

#include <chrono>
#include <map>

namespace wl::cudart {
namespace {

// Those that were made and not destroyed; false: cudaDeviceReset ended it.
std::map<const EventState*, bool>& events() {
    static auto* const kEvents = new std::map<const EventState*, bool>;
    return *kEvents;
}

}  // namespace

bool is_event(cudaEvent_t handle) {
    const Call call = begin_without_looking();
    const auto found = events().find(event_of(handle));
    return found != events().end() && found->second;
}

cudaError_t usable(cudaEvent_t handle) {
    if (is_event(handle)) return cudaSuccess;
    const Call call = begin_without_looking();
    return gone(call.machine, "an event", events().contains(event_of(handle)));
}

void leave_events(const Graph& graph) {
    for (const auto& [known, alive] : events()) {
        auto* event = const_cast<EventState*>(known);
        if (event->capturing == &graph) event->capturing = nullptr, event->node = nullptr;
    }
}

void end_events() {
    for (auto& [event, alive] : events()) alive = false;
}

void record_now(EventState& event) {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    event.seconds = std::chrono::duration<double>(now).count();
    event.recorded = true;
}

namespace {

constexpr unsigned kFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

cudaError_t make(cudaEvent_t* out, unsigned flags) {
    if ((flags & ~kFlags) != 0) return done(cudaErrorInvalidValue);
    const bool timed = (flags & cudaEventDisableTiming) == 0;
    if ((flags & cudaEventInterprocess) != 0 && timed) return done(cudaErrorInvalidValue);
    auto made = std::make_unique<EventState>();
    made->flags = flags;
    const Call call = begin_without_looking();
    events()[made.get()] = true;
    *out = reinterpret_cast<cudaEvent_t>(made.release());
    return cudaSuccess;
}

}  // namespace
}  // namespace wl::cudart

using namespace wl::cudart;

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* out) { return make(out, 0); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) { return make(out, flags); }

cudaError_t cudaEventDestroy(cudaEvent_t handle) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    const std::unique_ptr<EventState> over(event_of(handle));
    events().erase(over.get());
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t handle, cudaStream_t on) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    if (const cudaError_t error = usable(on); error != cudaSuccess) return done(error);
    EventState& event = *event_of(handle);
    const Stream* stream = stream_of(on);
    if (stream != nullptr && stream->capturing != nullptr) {
        event.capturing = stream->capturing, event.node = stream->last;
        return cudaSuccess;
    }
    event.capturing = nullptr, event.node = nullptr;
    if ((event.flags & cudaEventInterprocess) != 0) begin();  // other processes see what lies before it
    record_now(event);
    const Call call = begin_without_looking();
    wl::runtime::record_event(call.machine, address_of(&event), order_of(on));
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t on, unsigned flags) {
    if (flags > cudaEventRecordExternal) return done(cudaErrorInvalidValue);
    if (flags == cudaEventRecordExternal && !is_captured(on)) return done(cudaErrorIllegalState);
    return cudaEventRecord(handle, on);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    wl::runtime::host_waits_for_event(call.machine, address_of(handle));
    flush_printed(call.machine);
    return done(sticky_error(call.machine));
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    if (const cudaError_t error = usable(handle); error != cudaSuccess) return done(error);
    const Call call = begin_without_looking();
    if (!wl::runtime::is_event_done(call.machine, address_of(handle))) return cudaErrorNotReady;
    wl::runtime::host_waits_for_event(call.machine, address_of(handle));
    return done(sticky_error(call.machine));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
    for (cudaEvent_t event : {from, to})
        if (const cudaError_t error = usable(event); error != cudaSuccess) return done(error);
    const EventState &first = *event_of(from), &second = *event_of(to);
    if (!first.recorded || !second.recorded || ((first.flags | second.flags) & cudaEventDisableTiming) != 0)
        return done(cudaErrorInvalidResourceHandle);
    if (milliseconds == nullptr) return done(cudaErrorInvalidValue);
    const Call call = begin_without_looking();
    for (cudaEvent_t event : {from, to}) wl::runtime::host_waits_for_event(call.machine, address_of(event));
    if (call.machine.unsupported.insert("time").second)
        wl::runtime::tell_note(
            call.machine, "times that the program measures are the emulator's, not a GPU's"
        );
    *milliseconds = static_cast<float>((second.seconds - first.seconds) * 1e3);
    if (*milliseconds <= 0) *milliseconds = 1e-3F;  // programs divide by it
    return done(sticky_error(call.machine));
}
}
