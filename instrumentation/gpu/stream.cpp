#include "instrumentation/gpu/stream.h"

#include <algorithm>

namespace wl::gpu {

Stream::Stream(const Session& s) : session(s) {
    require(s.d, s.d.make_stream(&stream, CU_STREAM_NON_BLOCKING), "making a stream");
    require(s.d, s.d.make_event(&begin, CU_EVENT_DEFAULT), "making an event");
    require(s.d, s.d.make_event(&end, CU_EVENT_DEFAULT), "making an event");
}

Stream::~Stream() {
    session.d.destroy_event(begin), session.d.destroy_event(end);
    session.d.destroy_stream(stream);
}

double timed(const Stream& s, const std::function<CUresult()>& work) {
    const Driver& d = s.session.d;
    require(d, d.record_event(s.begin, s.stream), "timing");
    require(d, work(), "timing a launch");
    require(d, d.record_event(s.end, s.stream), "timing");
    require(d, d.synchronize(), "timing a launch");
    float milliseconds = 0;
    require(d, d.elapsed(&milliseconds, s.begin, s.end), "timing");
    return milliseconds * 1e-3;
}

double least(const Stream& s, const std::function<CUresult()>& work) {
    double best = timed(s, work);
    for (int k = 0; k < 10; ++k) best = std::min(best, timed(s, work));
    return best;
}

Graph::Graph(const Stream& s, const std::function<CUresult()>& work) : session(s.session) {
    const Driver& d = session.d;
    require(d, d.begin_capture(s.stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "recording a graph");
    const CUresult status = work();
    require(d, d.end_capture(s.stream, &graph), "recording a graph");
    require(d, status, "recording a launch");
    require(d, d.instantiate(&instance, graph, 0), "making a graph");
}

Graph::~Graph() {
    session.d.destroy_instance(instance);
    session.d.destroy_graph(graph);
}

}  // namespace wl::gpu
