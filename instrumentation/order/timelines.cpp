#include "instrumentation/order/timelines.h"

#include <algorithm>
#include <utility>

namespace wl::order {
namespace {

Timeline new_timeline(Timelines& all) {
    all.issued.push_back(0);
    return static_cast<Timeline>(all.issued.size() - 1);
}

Moment next(Timelines& all, Timeline timeline) { return {timeline, ++all.issued[timeline]}; }

Stream& stream_at(Timelines& all, Handle handle) {
    const auto found = all.streams.find(handle);
    if (found != all.streams.end()) return found->second;
    const bool legacy = handle == kLegacy;
    add_stream(
        all,
        handle,
        legacy ? StreamKind::legacy : StreamKind::blocking,
        legacy ? "the default stream" : "a stream"
    );
    return all.streams[handle];
}

// What is over when the stream's next operation begins.
Clock over_in(Timelines& all, const Stream& stream) {
    Clock out = all.host;
    join(out, stream.over);
    if (stream.kind == StreamKind::legacy) {
        for (const auto& [handle, other] : all.streams)
            if (other.kind == StreamKind::blocking) join(out, other.over);
    } else if (stream.kind == StreamKind::blocking) {
        join(out, stream_at(all, kLegacy).over);
    }
    return out;
}

}  // namespace

void add_stream(Timelines& all, Handle handle, StreamKind kind, std::string name) {
    remove_stream(all, handle);
    Stream made;
    made.kind = kind, made.name = std::move(name), made.timeline = new_timeline(all);
    all.streams[handle] = std::move(made);
}

void remove_stream(Timelines& all, Handle handle) {
    const auto found = all.streams.find(handle);
    if (found == all.streams.end()) return;
    join(all.ended, found->second.over);
    all.streams.erase(found);
}

Operation begin_operation(Timelines& all, Handle handle, bool programmatic) {
    Stream& stream = stream_at(all, handle);
    Operation out;
    out.stream = handle, out.stream_name = stream.name, out.stream_kind = stream.kind;
    out.before = over_in(all, stream);
    if (programmatic && stream.passed) {
        out.early = *stream.passed;
        join(*out.early, all.host);
    }
    out.at = next(all, stream.timeline);
    stream.over = out.before;
    add(stream.over, out.at);
    stream.began = out.early ? *out.early : out.before;
    stream.passed.reset();
    return out;
}

void let_dependents(Timelines& all, const Operation& operation) {
    const auto found = all.streams.find(operation.stream);
    if (found == all.streams.end()) return;
    Stream& stream = found->second;
    const bool last =
        stream.timeline == operation.at.timeline && all.issued[stream.timeline] == operation.at.number;
    if (last) stream.passed = stream.began;
}

void wait_for_stream(Timelines& all, Handle handle) {
    const Stream& stream = stream_at(all, handle);
    join(all.host, over_in(all, stream));
}

void wait_for_device(Timelines& all) {
    for (const auto& [handle, stream] : all.streams) join(all.host, stream.over);
    join(all.host, all.ended);
}

void wait_for_event(Timelines& all, Handle event) {
    if (const auto found = all.events.find(event); found != all.events.end()) join(all.host, found->second);
}

void wait_for_operation(Timelines& all, const Operation& operation) {
    join(all.host, operation.before);
    add(all.host, operation.at);
}

void record(Timelines& all, Handle event, Handle handle) {
    Stream& stream = stream_at(all, handle);
    Clock over = over_in(all, stream);
    // A record in the legacy stream is work there, which blocking streams wait for.
    stream.over = over;
    stream.passed.reset();
    all.events[event] = std::move(over);
}

void wait_in_stream(Timelines& all, Handle handle, Handle event) {
    Stream& stream = stream_at(all, handle);
    stream.passed.reset();
    if (const auto found = all.events.find(event); found != all.events.end())
        join(stream.over, found->second);
}

void learn(Timelines& all, Handle handle, const Clock& clock) {
    Stream& stream = stream_at(all, handle);
    join(stream.over, clock);
    stream.passed.reset();
}

bool is_idle(const Timelines& all) {
    const auto is_over = [&](const Clock& clock) {
        return std::all_of(clock.seen.begin(), clock.seen.end(), [&](const Moment& m) {
            return holds(all.host, m);
        });
    };
    return is_over(all.ended) && std::all_of(all.streams.begin(), all.streams.end(), [&](const auto& s) {
               return is_over(s.second.over);
           });
}

GraphLaunch begin_graph(Timelines& all, Handle graph, Handle stream) {
    GraphLaunch out;
    out.graph = graph;
    out.operation = begin_operation(all, stream);
    join(out.operation.before, all.graphs[graph].over);
    return out;
}

Operation begin_node(Timelines& all, GraphLaunch& launch, const std::vector<OperationPointer>& after) {
    Graph& graph = all.graphs[launch.graph];
    Operation out = launch.operation;
    for (const OperationPointer& one : after) {
        join(out.before, one->before);
        add(out.before, one->at);
    }
    // It goes on with a branch whose last node it comes after.
    size_t branch = 0;
    while (branch < launch.ends.size() && !holds(out.before, launch.ends[branch])) ++branch;
    if (branch == graph.branches.size()) graph.branches.push_back(new_timeline(all));
    out.at = next(all, graph.branches[branch]);
    if (branch == launch.ends.size()) launch.ends.emplace_back();
    launch.ends[branch] = out.at;
    return out;
}

void end_graph(Timelines& all, const GraphLaunch& launch) {
    Clock over = launch.operation.before;
    add(over, launch.operation.at);
    for (const Moment& m : launch.ends) add(over, m);
    join(all.graphs[launch.graph].over, over);
    Stream& stream = stream_at(all, launch.operation.stream);
    join(stream.over, over);
}

}  // namespace wl::order
