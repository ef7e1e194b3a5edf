// Extents of shared memory and of global arrays.
#include "instrumentation/diagnosis/rules/extent.h"

#include "instrumentation/base/counted.h"
#include "instrumentation/diagnosis/rules/places.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wl::diagnosis {

namespace {

std::string distance_text(uint64_t address, uint64_t end) {
    return address == end ? "right past the end" : counted(address - end, "byte") + " past the end";
}

// What the line did write inside: the region that it was meant for.
std::string written_by_line(const Symptoms& s, const emulator::Access& access) {
    if (s.capture.records.empty()) return {};
    const capture::Where line = where_of(s, access.site);
    std::map<uint32_t, bool> on_line{
        {access.site, true}
    };
    const auto is_on_line = [&](uint32_t site) {
        const auto [it, fresh] = on_line.try_emplace(site, false);
        if (fresh) it->second = same_line(where_of(s, site), line);
        return it->second;
    };
    uint64_t first = UINT64_MAX, last = 0;
    for (const capture::Event& e : s.capture.records.front().events) {
        if (e.kind != capture::EventKind::shared_write || !is_on_line(e.site)) continue;
        first = std::min(first, e.address), last = std::max(last, e.address + e.bytes - 1);
    }
    if (first > last) return {};
    return fmt::format("the same line writes bytes {}..{}", first, last);
}

Extent shared_extent(const Symptoms& s, const emulator::Access& access) {
    const uint64_t end = uint64_t{s.capture.launch.dynamic_shared} + s.capture.launch.static_shared;
    if (access.address < end && access.address + access.bytes <= end) return {};
    if (const auto at = static_cast<int64_t>(access.address); at < 0)
        return {
            fmt::format(
                "{} before the begin of the block's shared memory",
                counted(static_cast<uint64_t>(-at), "byte")
            ),
            ""};
    return {
        fmt::format(
            "{} of the block's {} bytes of shared memory",
            distance_text(std::max(access.address, end), end),
            end
        ),
        access.write ? written_by_line(s, access) : ""};
}

// Farther behind an array an address has nothing to do with it: a pointer of the host, or of freed memory.
constexpr uint64_t kFar = uint64_t{1} << 32;

std::string array_text(const emulator::Allocation& a) {
    return fmt::format("{} ({})", a.name, counted(a.bytes.size(), "byte"));
}

// Of an argument the subscript of what is touched, of its elements in order: ": x[70], of 64 elements".
std::string element_text(const Symptoms& s, const emulator::Allocation& a, const emulator::Access& access) {
    const std::vector<manifest::BoundArgument>& args = s.experiment.problem.args;
    const auto of =
        std::find_if(args.begin(), args.end(), [&](const auto& arg) { return arg.name == a.name; });
    if (of == args.end() || !of->array) return {};
    const auto size = static_cast<int64_t>(size_of(of->data.dtype));
    const auto away = static_cast<int64_t>(access.address - a.base);
    if (away % size != 0) return {};
    const uint64_t elements = a.bytes.size() / static_cast<uint64_t>(size);
    return fmt::format(": {}[{}], of {}", a.name, away / size, counted(elements, "element"));
}

// The array whose name the access has, which is the one that its pointer was made from; else the one before.
// None of a module's variable, which the program brings along.
const emulator::Allocation* array_of(const execution::GlobalMemory& memory, const emulator::Access& access) {
    const emulator::Allocation* before = nullptr;
    for (const emulator::Allocation& a : memory.allocations) {
        if (access.memory == "global " + a.name) return &a;
        if (a.base <= access.address && (before == nullptr || a.base > before->base)) before = &a;
    }
    if (access.memory != "global" || before == nullptr) return nullptr;
    return access.address - before->base - before->bytes.size() < kFar ? before : nullptr;
}

// Device addresses are a function of the problem: laid out again, they are those of the run.
Extent global_extent(const Symptoms& s, const emulator::Access& access) {
    const execution::GlobalMemory& memory = inputs_of(s.prover, 0).prepared.memory;
    const emulator::Allocation* array = array_of(memory, access);
    if (array == nullptr || array->bytes.empty()) return {};
    const uint64_t end = array->base + array->bytes.size();
    if (access.address >= array->base && access.address + access.bytes <= end) return {};
    std::string text = access.address < array->base
        ? fmt::format(
              "{} before the begin of {}", counted(array->base - access.address, "byte"), array_text(*array)
          )
        : fmt::format("{} of {}", distance_text(std::max(access.address, end), end), array_text(*array));
    for (const emulator::Allocation& a : memory.allocations) {
        const uint64_t into = access.address - a.base;
        if (&a != array && into < a.bytes.size()) text += fmt::format(", inside {}", array_text(a));
    }
    return {text + element_text(s, *array, access), ""};
}

}  // namespace

Extent extent_of(const Symptoms& s, const emulator::Access& access) {
    if (access.bytes == 0) return {};
    if (access.memory == "shared") return shared_extent(s, access);
    if (access.memory.starts_with("global")) return global_extent(s, access);
    return {};
}

}  // namespace wl::diagnosis
