#include "instrumentation/gpu/dumping.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

namespace wl::gpu {
namespace {

// Of the buffer for records: on the device, and in the host's memory.
constexpr uint64_t kDeviceBytes = uint64_t{1} << 30, kHostBytes = uint64_t{1} << 28,
                   kLeastBytes = uint64_t{1} << 20;

void clear(const Session& s, const Buffer& buffer) {
    if (buffer.host != nullptr)
        std::memset(buffer.host, 0xff, buffer.bytes);
    else
        require(s.d, s.d.fill(buffer.address, 0xff, buffer.bytes), "clearing the records");
}

Dump read(const Session& s, const DumpWork& work, const Buffer& buffer, uint64_t used) {
    const execution::Listing& listing = work.kernel.listing;
    const Dumped& what = work.instrumented.dumped;
    const uint64_t bytes = std::min(used, buffer.bytes);
    if (buffer.host != nullptr) return decode(std::span(buffer.host, bytes), buffer.address, listing, what);
    std::vector<std::byte> copy(bytes);
    if (bytes != 0) require(s.d, s.d.download(copy.data(), buffer.address, bytes), "reading the records");
    return decode(copy, buffer.address, listing, what);
}

}  // namespace

std::unique_ptr<Buffer> buffer_for_records(const Session& s, bool in_host_memory) {
    for (uint64_t bytes = in_host_memory ? kHostBytes : kDeviceBytes; bytes >= kLeastBytes; bytes /= 4) {
        auto made = std::make_unique<Buffer>(s, bytes, in_host_memory);
        if (made->address != 0) return made;
    }
    throw Unsupported("unsupported: the GPU has no room for the records of marks");
}

Dumping dump_blocks(Session& s, const DumpWork& work, const std::function<void(Dump&&)>& on_dump) {
    Dumping out;
    const Kernel& k = work.kernel;
    const Instrumented& made = work.instrumented;
    const execution::Launch launch = launch_of(made, work.launch);
    const Loaded loaded(s, ptx::print(made.module), k.entry);
    const std::unique_ptr<Buffer> room = buffer_for_records(s, work.survives);
    const Buffer& buffer = *room;
    CUdeviceptr place = 0;
    require(s.d, s.d.global(&place, nullptr, loaded.module, kControl), "finding the dump's control");
    for (std::vector<Range> left{work.blocks}; !left.empty();) {
        const Range now = left.back();
        left.pop_back();
        clear(s, buffer);
        Control control;
        control.records = buffer.address, control.capacity = buffer.bytes;
        control.first_block = now.first, control.end_block = now.end;
        share_out(control, made.dumped, (count(work.launch.block) + 31) / 32);
        control.store_warps = work.recording.warps;
        control.first_epoch = work.recording.first_epoch, control.end_epoch = work.recording.end_epoch;
        require(s.d, s.d.upload(place, &control, sizeof control), "setting the dump's control");
        DeviceDump shot = shoot(s, {loaded, k.function(), launch, work.memory}, std::byte{0});
        out.status = shot.status, out.timed_out = shot.timed_out;
        if (shot.status != CUDA_SUCCESS) {
            if (buffer.host != nullptr && !shot.refused) on_dump(read(s, work, buffer, buffer.bytes));
            return out;
        }
        require(s.d, s.d.download(&control, place, sizeof control), "reading the dump's control");
        out.seconds += shot.seconds, out.memory = std::move(shot.bytes);
        if (control.dropped != 0 && now.end - now.first > 1) {
            const uint64_t middle = now.first + (now.end - now.first) / 2;
            left.push_back({middle, now.end});
            left.push_back({now.first, middle});
            continue;
        }
        out.lost += control.dropped;
        Dump dump = read(s, work, buffer, used_of(control));
        dump.lost = control.dropped;
        on_dump(std::move(dump));
    }
    return out;
}

}  // namespace wl::gpu
