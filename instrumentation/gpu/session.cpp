// Memory goes to the device, a kernel runs, memory comes back.
#include "instrumentation/gpu/session.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/base/tensor_map.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <thread>
#include <utility>

namespace wl::gpu {
namespace {

constexpr size_t kLogBytes = 16 << 10;
constexpr uint64_t kDriverAlign = 256;  // of what cuMemAlloc gives

}  // namespace

Session::Session(int index) : d(driver()) {
    const CUresult found = d.device(&device, index);
    if (found != CUDA_SUCCESS)
        throw Unsupported(fmt::format(
            "unsupported: there is no GPU number {}; `warplens devices` lists them: {}",
            index,
            gpu::describe(d, found)
        ));
    require(d, d.retain(&context, device), "opening the GPU");
    require(d, d.set_current(context), "opening the GPU");
}

Session::~Session() {
    if (!stuck) d.release(device);
}

Loaded::Loaded(const Session& owner, const std::string& text, const std::string& entry) : session(owner) {
    const Driver& d = owner.d;
    std::string log(kLogBytes, '\0');
    std::array<CUjit_option, 2> options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    std::array<void*, 2> values{log.data(), std::bit_cast<void*>(kLogBytes)};
    const CUresult status = d.load(&module, text.c_str(), options.size(), options.data(), values.data());
    log.resize(std::strlen(log.c_str()));
    const std::string said = describe(d, status) + (log.empty() ? "" : ": " + log);
    if (status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || status == CUDA_ERROR_NO_BINARY_FOR_GPU ||
        status == CUDA_ERROR_INVALID_PTX)
        throw Unsupported("unsupported: the driver does not take this PTX: " + said);
    if (status != CUDA_SUCCESS) throw Error("the driver could not compile the kernel: " + said);
    require(d, d.function(&function, module, entry.c_str()), "finding the kernel in the compiled module");
}

Loaded::~Loaded() {
    if (!session.stuck) session.d.unload(module);
}

Buffer::Buffer(const Session& owner, uint64_t size, bool pinned) : session(owner), bytes(size) {
    const Driver& d = owner.d;
    if (!pinned) {
        if (d.allocate(&address, std::max<uint64_t>(size, 1)) != CUDA_SUCCESS) address = 0;
        return;
    }
    void* at = nullptr;
    if (d.host_allocate(&at, size, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS) return;
    host = static_cast<std::byte*>(at);
    if (d.host_address(&address, at, 0) != CUDA_SUCCESS) address = 0;
}

Buffer::Buffer(const Session& owner, uint64_t size, uint64_t base) :
    session(owner), bytes(size), skew(base % kDriverAlign) {
    if (owner.d.allocate(&address, std::max<uint64_t>(size + skew, 1)) != CUDA_SUCCESS) address = 0;
    if (address != 0) address += skew;
}

Buffer::Buffer(const Session& owner, const Loaded& loaded, const std::string& name, uint64_t size) :
    session(owner), bytes(size), of_module(true) {
    size_t room = 0;
    const CUresult found = owner.d.global(&address, &room, loaded.module, name.c_str());
    if (found != CUDA_SUCCESS || room < size) address = 0;
}

Buffer::~Buffer() {
    if (session.stuck || of_module) return;
    if (host != nullptr)
        session.d.host_free(host);
    else if (address != 0)
        session.d.free(address - skew);
}

namespace {

// Which of `count` ranges (begin, bytes) holds the address; else the one that ends there: allocations may
// touch, and of one the end is an address, too.
template <class Range>
std::optional<size_t> holder_of(uint64_t address, size_t count, Range range) {
    std::optional<size_t> ends_there;
    for (size_t k = 0; k < count; ++k) {
        const auto [begin, bytes] = range(k);
        if (address - begin < bytes) return k;
        if (address - begin == bytes) ends_there = k;
    }
    return ends_there;
}

// An address in one of the emulated allocations becomes that of the device; another number stays. Windows of
// emulated addresses are told from numbers by where they lie: see execution/windows.h.
void relocate(std::span<std::byte> word, const execution::GlobalMemory& memory, const Placed& placed) {
    const auto range = [&](size_t k) {
        return std::pair(memory.allocations[k].base, uint64_t{memory.allocations[k].bytes.size()});
    };
    uint64_t address = 0;
    std::memcpy(&address, word.data(), sizeof address);
    const std::optional<size_t> k = holder_of(address, placed.buffers.size(), range);
    if (!k) return;
    const uint64_t moved = placed.buffers[*k].address + (address - memory.allocations[*k].base);
    std::memcpy(word.data(), &moved, sizeof moved);
}

// The other way, of an address that a launch left as it was.
void restore(std::span<std::byte> word, const execution::GlobalMemory& memory, const Placed& placed) {
    const auto range = [&](size_t k) {
        return std::pair(placed.buffers[k].address, placed.buffers[k].bytes);
    };
    uint64_t address = 0;
    std::memcpy(&address, word.data(), sizeof address);
    const std::optional<size_t> k = holder_of(address, placed.buffers.size(), range);
    if (!k) return;
    const uint64_t moved = memory.allocations[*k].base + (address - placed.buffers[*k].address);
    std::memcpy(word.data(), &moved, sizeof moved);
}

// Ours are none to a GPU, whose own are opaque.
void refuse_tensor_maps(std::span<const std::byte> params) {
    for (size_t at = 0; at + kTensorMapBytes <= params.size(); at += 8)
        if (decoded(params.subspan(at, kTensorMapBytes)))
            throw Unsupported("unsupported: a tensor map among the parameters of a launch on a GPU");
}

std::vector<std::byte> relocated(
    std::vector<std::byte> params, const execution::GlobalMemory& memory, const Placed& placed
) {
    refuse_tensor_maps(params);
    for (size_t at = 0; at + 8 <= params.size(); at += 8) {
        const std::span<std::byte> word = std::span(params).subspan(at, 8);
        uint64_t number = 0;
        std::memcpy(&number, word.data(), sizeof number);
        number ^= execution::kTextureBase;
        const uint64_t handle = number - 1 < placed.images.size() ? placed.images[number - 1].handle() : 0;
        if (handle != 0)
            std::memcpy(word.data(), &handle, sizeof handle);
        else
            relocate(word, memory, placed);
    }
    return params;
}

// Where each parameter lies in the buffer (PTX ISA 9.0, 5.1.6: aligned in order).
std::vector<void*> pointers(std::vector<std::byte>& params, const ptx::Function& entry) {
    std::vector<void*> out;
    uint64_t at = 0;
    for (const ptx::Variable& p : entry.params) {
        at = (at + p.align - 1) / p.align * p.align;
        out.push_back(params.data() + at);
        at += p.bytes;
    }
    if (at > params.size())
        throw Error(fmt::format("{} takes {} bytes of parameters, not {}", entry.name, at, params.size()));
    return out;
}

// Waits for the event: not for ever.
CUresult wait_for(const Driver& d, CUevent event, bool& timed_out) {
    const auto begin = std::chrono::steady_clock::now();
    for (int turn = 0;; ++turn) {
        const CUresult status = d.query_event(event);
        if (status != CUDA_ERROR_NOT_READY) return status;
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kTimeLimit) {
            timed_out = true;
            return CUDA_ERROR_NOT_READY;
        }
        if (turn > 1000) std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
}

}  // namespace

Placed upload(const Session& s, const Work& work, std::byte poison) {
    const execution::GlobalMemory& memory = work.memory;
    Placed out;
    for (const execution::Allocation& a : memory.allocations) {
        out.buffers.emplace_back(s, work.loaded, a.name, a.bytes.size());
        if (out.buffers.back().address != 0) continue;
        out.buffers.pop_back();
        const Buffer& b = out.buffers.emplace_back(s, a.bytes.size(), a.base);
        if (b.address == 0)
            throw Unsupported(
                fmt::format("unsupported: the GPU has no room for the {} bytes of {}", a.bytes.size(), a.name)
            );
    }
    for (size_t k = 0; k < out.buffers.size(); ++k) {
        const execution::Allocation& a = memory.allocations[k];
        std::vector<std::byte> filled = a.bytes;
        for (size_t b = 0; b < a.written.size(); ++b)
            if (a.written[b] == 0) filled[b] ^= poison;
        for (const uint64_t at : a.addresses) relocate(std::span(filled).subspan(at, 8), memory, out);
        if (!filled.empty())
            require(s.d, s.d.upload(out.buffers[k].address, filled.data(), filled.size()), "uploading");
    }
    const auto place = [&](uint64_t address) {
        relocate(std::as_writable_bytes(std::span(&address, 1)), memory, out);
        return address;
    };
    make_images(out.images, s, work.launch, memory, work.entry, place);
    return out;
}

CUresult start(const Session& s, const Work& work, const Placed& placed, CUstream stream) {
    const Driver& d = s.d;
    const execution::Launch& l = work.launch;
    std::vector<std::byte> params = relocated(l.params, work.memory, placed);
    std::vector<void*> arguments = pointers(params, work.entry);
    if (l.stack_bytes != 0)
        require(d, d.set_limit(CU_LIMIT_STACK_SIZE, l.stack_bytes), "setting the stack's size");
    if (l.dynamic_shared > 0) {
        const CUresult asked = d.set_function_attribute(
            work.loaded.function,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
            static_cast<int>(l.dynamic_shared)
        );
        if (asked != CUDA_SUCCESS) return asked;
    }
    const Dim3 &g = l.grid, &b = l.block;
    auto* f = work.loaded.function;
    void** a = arguments.data();
    return l.cooperative ? d.launch_cooperative(f, g.x, g.y, g.z, b.x, b.y, b.z, l.dynamic_shared, stream, a)
                         : d.launch(f, g.x, g.y, g.z, b.x, b.y, b.z, l.dynamic_shared, stream, a, nullptr);
}

DeviceDump shoot(Session& s, const Work& work, std::byte poison) {
    const Driver& d = s.d;
    DeviceDump shot;
    const Placed placed = upload(s, work, poison);
    CUevent begin = nullptr, end = nullptr;
    require(d, d.make_event(&begin, CU_EVENT_DEFAULT), "making an event");
    require(d, d.make_event(&end, CU_EVENT_DEFAULT), "making an event");
    KeptOutput printing;  // the driver writes what kernels print to standard output
    d.record_event(begin, nullptr);
    shot.status = start(s, work, placed, nullptr);
    shot.refused = shot.status != CUDA_SUCCESS;
    d.record_event(end, nullptr);
    if (!shot.refused) shot.status = wait_for(d, end, shot.timed_out);
    s.stuck = shot.timed_out;
    if (!s.stuck) d.synchronize();  // the driver prints at such points
    shot.printed = printing.end();
    if (shot.status != CUDA_SUCCESS) return shot;
    float milliseconds = 0;
    d.elapsed(&milliseconds, begin, end);
    shot.seconds = milliseconds * 1e-3;
    d.destroy_event(begin), d.destroy_event(end);
    fetch_surfaces(placed.images);
    for (size_t k = 0; k < placed.buffers.size(); ++k) {
        std::vector<std::byte>& bytes = shot.bytes.emplace_back(work.memory.allocations[k].bytes.size());
        if (!bytes.empty())
            require(d, d.download(bytes.data(), placed.buffers[k].address, bytes.size()), "downloading");
        for (const uint64_t at : work.memory.allocations[k].addresses)
            restore(std::span(bytes).subspan(at, 8), work.memory, placed);
    }
    return shot;
}

}  // namespace wl::gpu
