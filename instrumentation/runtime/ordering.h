// What the program's operations did to which bytes, and which of them nothing orders: streams and events of
// the stand-in as timelines of order/.
#pragma once

#include "instrumentation/base/os/page_guard.h"
#include "instrumentation/emulator/global/late_accesses.h"
#include "instrumentation/order/history.h"
#include "instrumentation/runtime/captured_memory.h"
#include "instrumentation/runtime/failed_call.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace wl::capture {
struct Finding;
}

namespace wl::runtime {

struct Machine;
struct Kernel;
struct Repeats;
struct Residents;

// Where functions around a call go on, the innermost first; nullptr: there are no more.
using Outer = std::array<const void*, 4>;

// What an operation is, for people: a kernel, or a call of the host.
struct Label {
    std::string name;              // "cudaMemcpyAsync"
    const void* caller = nullptr;  // where the program goes on after the call
    const Kernel* kernel = nullptr;
    Outer outer = {};                       // known where the call may stand in a header of CUDA's
    std::optional<std::string> place = {};  // "main.cu:12", once somebody asked
};

using Touches = order::TouchesPointer;

// Of a launch, until somebody looks.
struct LateTouches {
    Touches touches;
    uint64_t bytes = 0;  // that they keep
};

// Memory of the host that an operation reads or writes, with its bytes as the operation left them.
struct Watched {
    order::OperationPointer operation;
    bool write = false;
    uint64_t begin = 0;
    std::vector<std::byte> bytes;
    uint32_t site = order::kNoSite;  // of its kernel
    bool polled = false;             // the host may learn by memory that the work is done
};

// Work that waits for its turn in an order other than that of the calls.
struct Held {
    order::OperationPointer operation;
    std::function<void()> work;
    uint64_t most_blocks = UINT64_MAX;  // of a launch: as many as fit on the device
};

struct Ordering {
    order::Timelines timelines;
    order::History history;
    std::vector<Label> labels;
    std::map<std::tuple<std::string, const void*, const Kernel*>, uint32_t> numbers;  // of labels
    std::set<std::string> known;                                                      // races by their places
    // Written by copies from pageable memory that the host waited for, since it last waited for the device.
    std::vector<std::pair<uint64_t, uint64_t>> staged;
    std::vector<Watched> watched;  // until the host has waited for their operations
    uint64_t watched_bytes = 0;
    std::deque<LateTouches> late;  // of the latest launches
    std::vector<std::weak_ptr<CapturedMemory>> captured;
    std::vector<FailedCall> failed;
    std::vector<Held> held;  // where Settings::hold asks for it
    uint64_t random = 0;     // of the order in which it is done
    std::shared_ptr<Residents> residents;
    int copies = 0;  // to the host, reported so far
};

// What this thread's calls mean to the order of operations.
struct Issuing {
    const char* name = "";  // of the call
    const void* caller = nullptr;
    Outer outer = {};  // as in Label
    order::Handle stream = order::kLegacy;
    bool waits = true;  // the call waits for a copy, as far as CUDA says so
    // All work belongs to it; nullptr: each piece is an operation. A plain pointer, as what needs no
    // destructor takes nothing of the program's heap when a thread begins.
    const order::Operation* operation = nullptr;
};
Issuing& issuing();

// Work of this stream, for which the host does not wait, while it lives.
struct InStream {
    explicit InStream(order::Handle stream);
    // All of it belongs to one operation, which outlives this.
    explicit InStream(const order::Operation& operation);
    ~InStream();
    InStream(const InStream&) = delete;
    InStream& operator=(const InStream&) = delete;

private:
    Issuing outer_;
};

bool is_followed(const Machine& machine);
// Of the call that this thread is in.
uint32_t label_of_call(Machine& machine);
// In a capture of their own. `name`: a kernel, or a call; `launch`: its number; 0: it is no launch.
void tell_findings(
    Machine& machine, const std::string& name, int launch, std::vector<capture::Finding> findings
);

// The next operation, by what this thread is issuing; nullptr: races are not asked for.
order::OperationPointer issue(
    Machine& machine, const Kernel* kernel = nullptr, int launch = 0, bool programmatic = false
);

// Rows of one side of a copy or a fill. Nothing of memory that only the host sees.
struct TouchedRows {
    uint64_t address = 0, pitch = 0, width = 0, height = 1;
    bool write = false;
};
// The operation did this; its races are reported.
Touches note_rows(
    Machine& machine, const order::OperationPointer& operation, const std::vector<TouchedRows>& rows
);
// A copy to the host, for who compares several orders of the program's work.
void tell_copied(Machine& machine, const order::OperationPointer& operation, uint64_t to, uint64_t bytes);
void note_memory(Machine& machine, const order::OperationPointer& operation, uint64_t base);  // all of it

// Whether the host waits for a copy or a fill (CUDA Runtime API, "API synchronization behavior").
bool waits_for_copy(const Machine& machine, uint64_t to, uint64_t from);
bool waits_for_fill(const Machine& machine, uint64_t to);
void host_waits_for(Machine& machine, const order::OperationPointer& operation);
bool is_visible(const Machine& machine, uint64_t address);  // to kernels
bool comes_to_host(const Machine& machine, uint64_t to, uint64_t from);
void note_staged(Machine& machine, uint64_t to, uint64_t from, uint64_t bytes);

// What a launch did, compared with what came before; races that were reported before are left out.
std::vector<order::Race> compare(
    Machine& machine, const order::OperationPointer& operation, const Touches& touches, bool fences
);
struct Executed {
    const execution::RunResult& result;
    const std::optional<emulator::LateAccesses>& accesses;  // nothing: they were not followed
};
// The same of a launch that was executed; what it did is kept for those that will not be.
std::vector<order::Race> compare_launch(
    Machine& machine, const order::OperationPointer& operation, const Executed& executed, Repeats& repeats
);

// Memory of the host that the operation touched: the host must not change it before it has waited.
void watch(
    Machine& machine, const order::OperationPointer& operation, const std::vector<order::Touch>& touches
);
bool is_watching();  // some memory is, in this process
// While the program is outside of all calls.
void guard_host(Machine& machine);
void look_at_guarded(Machine& machine, const std::vector<PageTouch>& touches);
// What is watched changed by work of the device.
void refresh_watched(Machine& machine, uint64_t begin, uint64_t end);
void refresh_watched(Machine& machine);
// The host has waited: what it changed before is reported.
void look_at_watched(Machine& machine);

// Whether work waits for its turn.
bool holds_back(const Machine& machine);
void hold(
    Machine& machine,
    order::OperationPointer operation,
    std::function<void()> work,
    uint64_t most_blocks = UINT64_MAX
);
// Does what is held and is among this, in one of its legal orders; all of it.
void do_held(Machine& machine, const order::Clock& until);
void do_held(Machine& machine);
// As far as it goes while the host does not wait. False: some among this is not over.
bool is_done(Machine& machine, const order::Clock& until);
bool is_stream_done(Machine& machine, order::Handle stream);
bool is_event_done(Machine& machine, order::Handle event);

// As of the calls of their names.
void add_stream(Machine& machine, order::Handle stream, order::StreamKind kind, const std::string& name);
void remove_stream(Machine& machine, order::Handle stream);
void host_waits_for_stream(Machine& machine, order::Handle stream);
void host_waits_for_device(Machine& machine);
void host_waits_for_event(Machine& machine, order::Handle event);
void record_event(Machine& machine, order::Handle event, order::Handle stream);
void wait_in_stream(Machine& machine, order::Handle stream, order::Handle event);

// One for each pair of lines.
std::vector<capture::Finding> findings_of(Machine& machine, const std::vector<order::Race>& races);
// The same places again have the same key.
std::string key_of(const Machine& machine, const order::Race& race);
// In a capture of their own, where no launch's has room for them.
void report(Machine& machine, const std::vector<order::Race>& races);
// The host changed what `first` reads or writes, before it waited by the call that is being made.
void report_host(Machine& machine, const order::Race& race);

}  // namespace wl::runtime
