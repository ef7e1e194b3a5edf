// Which operations of a program are ordered: its streams, events and graphs, and what the host has waited for
// (CUDA C++ Programming Guide 13.0, "Asynchronous Concurrent Execution"; docs/order.md has a row for each
// rule). Threads of the host count as one, in the order in which their calls came.
#pragma once

#include "instrumentation/order/clock.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace wl::order {

// The legacy default stream waits for all blocking streams, and they for it.
enum class StreamKind : uint8_t { legacy, blocking, non_blocking };

// Streams, events and graphs by the program's handles; the legacy default stream has handle 0.
using Handle = uint64_t;
constexpr Handle kLegacy = 0;

struct Operation {
    Moment at;
    Clock before;                // what is over when it begins
    std::optional<Clock> early;  // of a programmatic launch: what is over before it waits for that
    Handle stream = kLegacy;
    std::string stream_name;
    StreamKind stream_kind = StreamKind::legacy;
    uint32_t label = 0;  // what it is, to who issued it
    int launch = 0;      // its number; 0: no launch
};
using OperationPointer = std::shared_ptr<const Operation>;

struct Stream {
    StreamKind kind = StreamKind::blocking;
    std::string name;
    Timeline timeline = 0;
    uint64_t issued = 0;
    Clock over;  // when the next operation begins, of what was issued here
    // Of the last operation, while it is a launch that lets a dependent one begin before its end: what is
    // over when itself begins.
    std::optional<Clock> passed;
    Clock began;  // the same, of any last operation
};

struct Graph {
    std::vector<Timeline> branches;
    Clock over;  // by its launches: one begins after the one before
};

struct Timelines {
    Clock host;   // what the host has waited for
    Clock ended;  // of streams that are gone: what they had issued
    std::map<Handle, Stream> streams;
    std::map<Handle, Clock> events;  // what lies before their last record
    std::map<Handle, Graph> graphs;
    std::vector<uint64_t> issued;  // by timeline
    int made = 0;                  // streams
};

void add_stream(Timelines& all, Handle handle, StreamKind kind, std::string name);
void remove_stream(Timelines& all, Handle handle);

// The next operation of a stream. `programmatic`: it may begin before the launch before it is over, where
// that lets it.
Operation begin_operation(Timelines& all, Handle stream, bool programmatic = false);
// The last operation of the stream is this one, and lets a programmatic launch begin before its end.
void let_dependents(Timelines& all, const Operation& operation);

void wait_for_stream(Timelines& all, Handle stream);
void wait_for_device(Timelines& all);
void wait_for_event(Timelines& all, Handle event);
void wait_for_operation(Timelines& all, const Operation& operation);
void record(Timelines& all, Handle event, Handle stream);
void wait_in_stream(Timelines& all, Handle stream, Handle event);
// What the stream does from here on comes after this.
void learn(Timelines& all, Handle stream, const Clock& clock);
// Whatever is issued from here on comes after all that was issued.
bool is_idle(const Timelines& all);

// A launch of a graph: its nodes begin after what its stream has issued, and after those that they depend on.
struct GraphLaunch {
    Handle graph = 0;
    Operation operation;       // of the stream
    std::vector<Moment> ends;  // by branch: its last node in this launch
};
GraphLaunch begin_graph(Timelines& all, Handle graph, Handle stream);
Operation begin_node(Timelines& all, GraphLaunch& launch, const std::vector<OperationPointer>& after);
void end_graph(Timelines& all, const GraphLaunch& launch);

}  // namespace wl::order
