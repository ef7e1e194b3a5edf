#include "instrumentation/runtime/captured.h"

#include "instrumentation/base/counted.h"
#include "instrumentation/runtime/freed_heap.h"
#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/order_words.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

constexpr uint64_t kMostBytes = uint64_t{64} << 20;

// The bytes as they are; nothing: some of them are not there.
std::optional<std::vector<std::byte>> bytes_at(const CapturedSide& s) {
    std::vector<std::byte> out(s.bytes);
    const auto* from =
        reinterpret_cast<const void*>(s.begin);  // NOLINT(performance-no-int-to-ptr): of the host
    if (!read_host(out.data(), from, out.size())) return std::nullopt;
    return out;
}

bool is_host(const Region* r) {
    return r == nullptr || r->kind == Region::Kind::pinned || r->kind == Region::Kind::registered;
}

// Live ones, those that nobody has any more left out.
Captured all_captured(Machine& m) {
    Captured out;
    auto& known = m.ordering.captured;
    std::erase_if(known, [&](const std::weak_ptr<CapturedMemory>& weak) {
        out.push_back(weak.lock());
        if (out.back() != nullptr) return false;
        out.pop_back();
        return true;
    });
    return out;
}

void keep_bytes(Machine& m, CapturedMemory& c) {
    uint64_t kept = c.side.bytes;
    for (const auto& other : all_captured(m)) kept += other->was.size();
    if (kept <= kMostBytes) {
        if (auto now = bytes_at(c.side)) c.was = std::move(*now);
        return;
    }
    tell_note_once(
        m,
        "nodes of graphs copy from more than 64 MiB of memory of the host: of the rest it is not known "
        "whether it "
        "changes between a node's making and its launch"
    );
}

std::string of_call(Machine& m, uint32_t label) {
    Label& l = m.ordering.labels[label];
    const std::string& place = place_of(l);
    return l.name + "()" + (place.empty() ? "" : " at " + place);
}

// A variable of a function that has returned: below the frames that the thread has now.
bool is_dead_stack(const CapturedSide& s) {
    const auto frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    return s.begin < frame && host_memory_name(s.begin) == "host stack" &&
        frame - s.begin < (uint64_t{8} << 20);
}

struct Wrong {
    std::string what, why, mend;
    std::optional<uint32_t> other;
};

std::optional<Wrong> gone(Machine& m, const CapturedMemory& c) {
    const char* keep = "Keep the memory until the last launch of the graph is over.";
    if (c.freed)
        return Wrong{
            "that was given back",
            fmt::format("{} has given it back since", of_call(m, *c.freed)),
            keep,
            c.freed};
    if (c.region != 0) return std::nullopt;
    const void* at =
        reinterpret_cast<const void*>(c.side.begin);  // NOLINT(performance-no-int-to-ptr): of the host
    if (!is_readable(at, c.side.bytes))
        return Wrong{"that was given back", "It is not there any more", keep, {}};
    if (is_dead_stack(c.side))
        return Wrong{
            "of a function that has returned",
            "It lies on the stack, below all functions that still run",
            keep,
            {}};
    if (c.heap_block != 0 && is_given_back(at, c.heap_block))
        return Wrong{
            "that was given back", "By the marks of the heap it is free, or part of another block", keep, {}};
    return std::nullopt;
}

std::optional<Wrong> refilled(Machine& m, CapturedMemory& c) {
    if (c.was.empty()) return std::nullopt;
    const auto now = bytes_at(c.side);
    if (!now || *now == c.was) return std::nullopt;
    const bool as_used = c.refilled && *now == c.refilled->bytes;
    if (as_used)
        return Wrong{
            "that was filled again",
            fmt::format(
                "{} found other bytes there, which the launch copies as well", of_call(m, c.refilled->label)
            ),
            "Give each copy that is captured a buffer of its own, or launch the graph before the buffer is "
            "used again.",
            c.refilled->label};
    if (!c.launched)
        tell_note_once(
            m,
            fmt::format(
                "a node of a graph, made by {}, copies from memory of the host that the program has changed "
                "before "
                "the first launch: it copies what is there then",
                of_call(m, c.label)
            )
        );
    return std::nullopt;
}

void report(Machine& m, const CapturedMemory& c, const Wrong& wrong) {
    const std::string key = fmt::format("captured {} {}", c.label, wrong.what);
    if (!m.ordering.known.insert(key).second) return;
    const Region* region = region_of(m.memory, c.side.begin);
    const std::string memory = region != nullptr
        ? memory_of(m, c.side.begin, c.side.bytes)
        : fmt::format("{} of memory of the host", counted(c.side.bytes, "byte"));
    capture::Finding f;
    f.rule = "stale_capture";
    f.where = where_of_call(place_of(m.ordering.labels[c.label]));
    if (wrong.other) f.other = where_of_call(place_of(m.ordering.labels[*wrong.other]));
    const std::string line =
        f.where.line > 0 ? fmt::format("{}:{}", f.where.file, f.where.line) : of_call(m, c.label);
    const char* verb = c.side.write ? "writes" : "reads";
    f.title =
        fmt::format("{}: a node of a graph {} memory {} after the node was made", line, verb, wrong.what);
    f.explanation = fmt::format(
        "{} made the node, which {} {}; the launch by {} finds what is there now. {}. {}",
        of_call(m, c.label),
        verb,
        memory,
        of_call(m, label_of_call(m)),
        wrong.why,
        wrong.mend
    );
    f.proof = fmt::format("the launch of the graph as executed; {}", wrong.why);
    f.evidence = {
        {"bytes", static_cast<double>(c.side.bytes)}
    };
    tell_findings(m, m.ordering.labels[c.label].name, 0, {std::move(f)});
}

}  // namespace

Captured captured(Machine& m, const std::vector<CapturedSide>& sides) {
    Captured out;
    if (!is_followed(m)) return out;
    for (const CapturedSide& s : sides) {
        if (s.bytes == 0) continue;
        const Region* region = region_of(m.memory, s.begin);
        auto made = std::make_shared<CapturedMemory>();
        made->side = s, made->label = label_of_call(m), made->region = region != nullptr ? region->base : 0;
        note_use(m, s.begin, s.bytes);
        const auto* at =
            reinterpret_cast<const void*>(s.begin);  // NOLINT(performance-no-int-to-ptr): of the host
        if (region == nullptr) made->heap_block = heap_block(at, s.bytes);
        if (!s.write && s.dense && is_host(region)) keep_bytes(m, *made);
        m.ordering.captured.push_back(made);
        out.push_back(std::move(made));
    }
    return out;
}

void note_use(Machine& m, uint64_t begin, uint64_t bytes) {
    if (m.ordering.captured.empty()) return;
    for (const auto& c : all_captured(m)) {
        const bool meets = c->side.begin < begin + bytes && begin < c->side.begin + c->side.bytes;
        if (!meets || c->was.empty() || c->freed) continue;
        if (auto now = bytes_at(c->side); now && *now != c->was)
            c->refilled = Refilled{label_of_call(m), std::move(*now)};
    }
}

void note_capture_end(Machine& m, const Captured& all) {
    for (const auto& c : all)
        if (!c->refilled) note_use(m, c->side.begin, c->side.bytes);
}

void note_freed(Machine& m, uint64_t base) {
    if (m.ordering.captured.empty() || base == 0) return;
    for (const auto& c : all_captured(m))
        if (c->region == base && !c->freed) c->freed = label_of_call(m);
}

void look_at_captured(Machine& m, const Captured& all) {
    for (const auto& c : all) {
        std::optional<Wrong> wrong = gone(m, *c);
        if (!wrong) wrong = refilled(m, *c);
        if (wrong) report(m, *c, *wrong);
        c->launched = true;
    }
}

}  // namespace wl::runtime
