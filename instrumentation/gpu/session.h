// One device in use: its context, what lies in its memory, one launch at a time.
#pragma once

#include "instrumentation/execution/executor.h"
#include "instrumentation/gpu/driver.h"
#include "instrumentation/gpu/images.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace wl::gpu {

// The device's primary context, current for this thread. A kernel's fault makes it useless, and with it every
// context of the process (CUDA driver API, CUDA_ERROR_ILLEGAL_ADDRESS).
struct Session {
    const Driver& d;
    CUdevice device = 0;
    CUcontext context = nullptr;
    bool stuck = false;  // a kernel runs on: nothing more can be asked of the device

    explicit Session(int index);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

// A module compiled by the driver. Throws Unsupported with the driver's log when it takes the PTX for another
// device's or a newer version's, Error when it cannot compile it.
struct Loaded {
    const Session& session;
    CUmodule module = nullptr;
    CUfunction function = nullptr;

    Loaded(const Session& owner, const std::string& text, const std::string& entry);
    ~Loaded();
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;
};

// Memory of the device, or of the host where the device reaches it.
struct Buffer {
    const Session& session;
    CUdeviceptr address = 0;
    std::byte* host = nullptr;  // of pinned memory
    uint64_t bytes = 0;
    bool of_module = false;  // a variable of a module, which goes with it
    uint64_t skew = 0;       // bytes from where the driver's allocation begins to `address`

    // Address 0 where there is no room.
    Buffer(const Session& owner, uint64_t size, bool pinned = false);
    // At an address that is a multiple of what `base` is a multiple of, up to 256.
    Buffer(const Session& owner, uint64_t size, uint64_t base);
    // The module's variable of this name, or address 0 where it has none so large.
    Buffer(const Session& owner, const Loaded& loaded, const std::string& name, uint64_t size);
    ~Buffer();
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
};

// A launch, as it is on the host.
struct Work {
    const Loaded& loaded;
    const ptx::Function& entry;
    const execution::Launch& launch;
    const execution::GlobalMemory& memory;
};

// A memory on the device: its allocations in their order, and its textures and surfaces.
struct Placed {
    std::deque<Buffer> buffers;
    Images images;
};
// An allocation of the name of a variable of the module is that. Bytes that nobody wrote are exclusive-ored
// with `poison`. Throws Unsupported where there is no room, or a texture cannot be made.
Placed upload(const Session& session, const Work& work, std::byte poison);

// Starts it over what is placed and does not wait: pointers among the parameters that point into an
// allocation of the memory become those of the device, and handles its own.
CUresult start(const Session& session, const Work& work, const Placed& placed, CUstream stream);

// What a launch left.
struct DeviceDump {
    CUresult status = CUDA_SUCCESS;
    bool refused = false;                       // the launch did not begin
    bool timed_out = false;                     // it does not end
    std::string printed;                        // by printf, of all blocks
    double seconds = 0;                         // by events on the device
    std::vector<std::vector<std::byte>> bytes;  // of each allocation; empty after a fault
};

// Uploads, runs, waits for at most kTimeLimit, downloads.
DeviceDump shoot(Session& session, const Work& work, std::byte poison);

// Of a launch that may not end; seconds.
constexpr double kTimeLimit = 20;

}  // namespace wl::gpu
