// Whoever launches waits for the device twice, and memory is copied before and after.
#include "instrumentation/recorder/keep.h"

#include "instrumentation/recorder/driver_calls.h"
#include "instrumentation/recorder/reach.h"
#include "instrumentation/recorder/session.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace wl::recorder {
namespace {

using Bytes = std::vector<std::byte>;

std::string error_text(CUresult status) {
    const char* name = nullptr;
    if (calls().error_name == nullptr || calls().error_name(status, &name) != CUDA_SUCCESS || name == nullptr)
        return "error " + std::to_string(static_cast<int>(status));
    return name;
}

// cuLaunchKernel's `extra`: pairs of a word and what it stands for.
Bytes buffer_in(void** extra) {
    const std::byte* data = nullptr;
    size_t bytes = 0;
    for (; extra != nullptr && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) data = static_cast<const std::byte*>(extra[1]);
        if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const size_t*>(extra[1]);
    }
    return data == nullptr ? Bytes{} : Bytes(data, data + bytes);
}

Bytes parameters_of(const Launching& l, const Kernel& kernel) {
    if (l.params == nullptr) return buffer_in(l.extra);
    Bytes out;
    for (size_t i = 0;; ++i) {
        size_t offset = 0, bytes = 0;
        const CUresult status = kernel.is_kernel
            ? calls().kernel_parameter(reinterpret_cast<CUkernel>(l.function), i, &offset, &bytes)
            : calls().function_parameter(l.function, i, &offset, &bytes);
        if (status != CUDA_SUCCESS) return out;
        out.resize(std::max(out.size(), offset + bytes));
        std::memcpy(out.data() + offset, l.params[i], bytes);
    }
}

// The allocation that an address lies in; memory of the host that the device can use is one, too.
std::optional<Range> range_of(uint64_t address) {
    CUdeviceptr base = 0;
    size_t bytes = 0;
    std::array<CUpointer_attribute, 2> wanted{
        CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    std::array<void*, 2> to{&base, &bytes};
    if (calls().pointer_attributes(2, wanted.data(), to.data(), address) != CUDA_SUCCESS) return std::nullopt;
    if (base == 0 || bytes == 0 || address - base >= bytes) return std::nullopt;
    return Range{base, bytes};
}

Bytes read(const Range& range) {
    Bytes out(range.bytes);
    if (calls().download(out.data(), range.base, out.size()) != CUDA_SUCCESS) out.clear();
    return out;
}

struct Variable {
    std::string name;
    Range range;
    Bytes bytes;
};

CUmodule module_of(const Launching& l, const Kernel& kernel) {
    CUfunction function = l.function;
    CUmodule module = nullptr;
    if (kernel.is_kernel &&
        calls().kernel_function(&function, reinterpret_cast<CUkernel>(l.function)) != CUDA_SUCCESS)
        return nullptr;
    return calls().function_module(&module, function) == CUDA_SUCCESS ? module : nullptr;
}

std::vector<Variable> variables_of(CUmodule module, Unpacker names) {
    std::vector<Variable> out;
    for (uint64_t n = names.number(); n > 0 && names.fine; --n) {
        Variable v;
        v.name = names.text();
        CUdeviceptr base = 0;
        size_t bytes = 0;
        if (calls().variable(&base, &bytes, module, v.name.c_str()) != CUDA_SUCCESS) continue;
        v.range = {base, bytes};
        v.bytes = read(v.range);
        if (v.bytes.size() == bytes) out.push_back(std::move(v));
    }
    return out;
}

Bytes image_of(const Kernel& kernel) {
    if (kernel.module == nullptr) return {};
    const auto& bytes = kernel.module->image.bytes;
    if (kernel.module->file.empty()) return {bytes.begin(), bytes.end()};
    std::ifstream file(kernel.module->file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    return {data, data + text.size()};
}

Packet begin_of(const Launching& l, const Turn& turn) {
    std::array<char, 256> device{};
    CUdevice index = 0;
    size_t stack = 0;
    if (calls().context_device(&index) == CUDA_SUCCESS)
        calls().device_name(device.data(), static_cast<int>(device.size()) - 1, index);
    calls().limit(&stack, CU_LIMIT_STACK_SIZE);
    const char* const triton = std::getenv("TRITON_CACHE_DIR");
    Packet out;
    out.text(turn.kernel->name).text(device.data()).text(triton == nullptr ? "" : triton);
    out.number(turn.number).number(turn.of_kernel);
    for (const Dim3& d : {l.grid, l.block, l.cluster}) out.number(d.x).number(d.y).number(d.z);
    return out.number(l.shared).number(stack).number(l.cooperative ? 1 : 0);
}

// All that is there before the launch, in the order in which `tell_after` goes on with it.
struct Before {
    Bytes params;
    std::vector<Variable> variables;
    Reach reach;
};

Before tell_before(const Launching& l, const Turn& turn, uint64_t limit) {
    Before out;
    out.params = parameters_of(l, *turn.kernel);
    if (!turn.text.empty()) tell(Tag::text, Packet{}.text(turn.text));
    const Bytes image = image_of(*turn.kernel);
    const std::optional<Message> names = ask(Tag::image, Packet{}.raw(image.data(), image.size()));
    if (names) out.variables = variables_of(module_of(l, *turn.kernel), Unpacker{names->bytes});
    tell(Tag::params, Packet{}.raw(out.params.data(), out.params.size()));
    const Memories memories{
        [&](uint64_t address) {
            const bool known =
                std::any_of(out.variables.begin(), out.variables.end(), [&](const Variable& v) {
                    return address - v.range.base < v.range.bytes;
                });
            return known ? std::nullopt : range_of(address);
        },
        read,
        limit};
    follow(out.reach, 0, out.params, memories);
    for (const Variable& v : out.variables) follow(out.reach, v.range.base, v.bytes, memories);
    for (const Variable& v : out.variables)
        tell(
            Tag::memory,
            Packet{}.number(1).number(v.range.base).text(v.name).raw(v.bytes.data(), v.bytes.size())
        );
    for (const Reached& r : out.reach.all)
        tell(
            Tag::memory, Packet{}.number(0).number(r.range.base).text("").raw(r.bytes.data(), r.bytes.size())
        );
    for (const std::string& note : out.reach.notes) tell(Tag::note, Packet{}.text(note));
    return out;
}

void tell_after(const Before& before) {
    uint64_t place = 0;
    const auto one = [&](const Range& range, const Bytes& was) {
        const Bytes now = read(range);
        const bool changed = now != was;
        if (now.size() == was.size())
            tell(
                Tag::after,
                Packet{}.number(place).number(changed ? 1 : 0).raw(now.data(), changed ? now.size() : 0)
            );
        ++place;
    };
    for (const Variable& v : before.variables) one(v.range, v.bytes);
    for (const Reached& r : before.reach.all) one(r.range, r.bytes);
}

// Why this launch cannot be kept; empty: it can.
std::string obstacle(const Launching& l) {
    if (calls().missing != nullptr)
        return std::string("the CUDA driver lacks ") + calls().missing + "; install a newer one (CUDA 12.4)";
    CUstreamCaptureStatus capturing = CU_STREAM_CAPTURE_STATUS_NONE;
    calls().is_capturing(l.stream, &capturing);
    if (capturing != CU_STREAM_CAPTURE_STATUS_NONE)
        return "it was launched into a graph that was being captured, and launches of a graph are not seen; "
               "run the program without CUDA graphs";
    const CUresult status = calls().synchronize();
    return status == CUDA_SUCCESS ? "" : "the device had failed before it: " + error_text(status);
}

}  // namespace

CUresult keep_launch(const Launching& launching, const Turn& turn, const std::function<CUresult()>& forward) {
    const std::scoped_lock lock(session_lock());
    const std::optional<Wanted> wanted = connect_once();
    armed = false;
    if (!wanted) return forward();
    const std::string why_not = obstacle(launching);
    const std::optional<Message> answer = ask(Tag::begin, begin_of(launching, turn));
    if (!answer || Unpacker{answer->bytes}.number() == 0) return forward();
    if (!why_not.empty()) {
        tell(Tag::fault, Packet{}.text(why_not));
        return forward();
    }
    const Before before = tell_before(launching, turn, wanted->limit);
    const CUresult launched = forward();
    const CUresult finished = launched == CUDA_SUCCESS ? calls().synchronize() : launched;
    if (finished == CUDA_SUCCESS)
        tell_after(before);
    else
        tell(Tag::fault, Packet{}.text(error_text(finished)));
    tell(Tag::end, {});
    return launched;
}

}  // namespace wl::recorder
