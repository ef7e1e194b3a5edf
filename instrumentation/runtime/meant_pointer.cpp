#include "instrumentation/runtime/meant_pointer.h"

#include "instrumentation/runtime/module.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

using execution::Allocation;
using execution::GlobalMemory;
using execution::Incident;

constexpr size_t kMostTrials = 16;
constexpr uint64_t kMostWork = uint64_t{1} << 26;  // warp instructions of all trials

uint64_t word_at(const std::vector<std::byte>& params, uint64_t at) {
    uint64_t word = 0;
    std::memcpy(&word, params.data() + at, sizeof word);
    return word;
}

const Allocation* holder(const GlobalMemory& memory, uint64_t address) {
    for (const Allocation& a : memory.allocations)
        if (address >= a.base && address - a.base < a.bytes.size()) return &a;
    return nullptr;
}

bool nobody_wrote(const Allocation& a) {
    return !a.written.empty() &&
        std::none_of(a.written.begin(), a.written.end(), [](uint8_t flag) { return flag != 0; });
}

bool leaves(const Incident& i, const Allocation& a) {
    return i.kind == Incident::Kind::out_of_bounds && i.first.memory == "global " + a.name;
}

// Addresses in the parameters of an allocation that the launch left.
std::vector<uint64_t> suspects(
    const std::vector<std::byte>& params, const GlobalMemory& before, const std::vector<Incident>& incidents
) {
    std::vector<uint64_t> out;
    for (uint64_t at = 0; at + sizeof(uint64_t) <= params.size(); at += sizeof(uint64_t)) {
        const Allocation* a = holder(before, word_at(params, at));
        if (a != nullptr &&
            std::any_of(incidents.begin(), incidents.end(), [&](const Incident& i) { return leaves(i, *a); }))
            out.push_back(at);
    }
    return out;
}

// Allocations that nobody wrote, and that no argument leads to.
std::vector<const Allocation*> unused(const std::vector<std::byte>& params, const GlobalMemory& before) {
    std::vector<const Allocation*> out;
    for (const Allocation& a : before.allocations) {
        bool given = false;
        for (uint64_t at = 0; at + sizeof(uint64_t) <= params.size(); at += sizeof(uint64_t))
            given = given || holder(before, word_at(params, at)) == &a;
        if (!given && nobody_wrote(a)) out.push_back(&a);
    }
    return out;
}

// "parameter 0", "byte 24 of parameter 0".
std::string parameter_at(const Asked& asked, uint64_t offset) {
    const std::vector<ParamPlace> places = params_of(ptx::entry_of(asked.module, asked.entry));
    size_t k = 0;
    while (k + 1 < places.size() && places[k + 1].offset <= offset) ++k;
    return places[k].bytes == sizeof(uint64_t)
        ? fmt::format("parameter {}", k)
        : fmt::format("byte {} of parameter {}", offset - places[k].offset, k);
}

// All that the launch reads and nobody wrote lies in it.
bool is_all_unwritten(const std::vector<Incident>& incidents, const std::string& allocation) {
    return std::all_of(incidents.begin(), incidents.end(), [&](const Incident& i) {
        return i.kind != Incident::Kind::uninitialised_read || i.first.memory == "global " + allocation;
    });
}

}  // namespace

std::optional<MeantPointer> meant_pointer(const Suspected& s) {
    const GlobalMemory& before = *s.asked.before;
    const std::vector<std::byte>& params = s.asked.launch.params;
    if (before.heap != nullptr) return std::nullopt;
    const std::vector<uint64_t> places = suspects(params, before, s.result.incidents);
    const std::vector<const Allocation*> others = unused(params, before);
    const size_t trials = places.size() * others.size();
    if (trials == 0 || trials > kMostTrials || s.result.warp_instructions > kMostWork / trials)
        return std::nullopt;
    execution::RunOptions options = s.options;
    options.before = &before;
    std::optional<MeantPointer> out;
    for (const uint64_t at : places) {
        const Allocation& given = *holder(before, word_at(params, at));
        for (const Allocation* other : others) {
            execution::Launch changed = s.asked.launch;
            const uint64_t address = other->base + (word_at(params, at) - given.base);
            std::memcpy(changed.params.data() + at, &address, sizeof address);
            GlobalMemory memory = execution::copy_of(before);
            if (!s.executable.run(changed, memory, options).incidents.empty()) continue;
            if (nobody_wrote(*holder(memory, other->base))) continue;
            if (out) return std::nullopt;
            out = MeantPointer{at, given.name, other->name, other->bytes.size()};
        }
    }
    return out;
}

void say_what_was_meant(
    const Suspected& s, std::map<std::string, std::string>& meant, std::vector<capture::Finding>& findings
) {
    const auto pointer = meant_pointer(s);
    for (capture::Finding& f : findings) {
        if (pointer && f.rule == "out_of_bounds") {
            const std::string place = parameter_at(s.asked, pointer->offset);
            f.explanation += fmt::format(
                " The address of {} is in {}. With that of {} there ({} bytes, which nobody has written and "
                "no "
                "argument of this launch points to) the launch has no finding: see whether the host sets it.",
                pointer->given,
                place,
                pointer->meant,
                pointer->bytes
            );
            meant[pointer->meant] = fmt::format("{} of launch {}", place, s.asked.number);
        }
        for (const auto& [allocation, place] : meant)
            if (f.rule == "uninitialised" && is_all_unwritten(s.result.incidents, allocation))
                f.explanation += fmt::format(
                    " Nobody wrote {} because {} holds another address: the finding there has the same "
                    "cause.",
                    allocation,
                    place
                );
    }
}

}  // namespace wl::runtime
