// Work put into a stream, timed by events on the device.
#pragma once

#include "instrumentation/gpu/session.h"

#include <functional>

namespace wl::gpu {

struct Stream {
    const Session& session;
    CUstream stream = nullptr;
    CUevent begin = nullptr, end = nullptr;

    explicit Stream(const Session& s);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
};

// Seconds that the device takes for what `work` puts into the stream.
double timed(const Stream& s, const std::function<CUresult()>& work);
// The least of several tries, in seconds.
double least(const Stream& s, const std::function<CUresult()>& work);

struct Graph {
    const Session& session;
    CUgraph graph = nullptr;
    CUgraphExec instance = nullptr;

    // What `work` puts into the stream.
    Graph(const Stream& s, const std::function<CUresult()>& work);
    ~Graph();
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
};

}  // namespace wl::gpu
