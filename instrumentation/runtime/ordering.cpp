#include "instrumentation/runtime/ordering.h"

#include "instrumentation/runtime/machine.h"

#include <algorithm>
#include <utility>

namespace wl::runtime {

Issuing& issuing() {
    thread_local Issuing now;
    return now;
}

InStream::InStream(order::Handle stream) : outer_(issuing()) {
    issuing().stream = stream, issuing().waits = false;
}

InStream::InStream(const order::Operation& operation) : InStream(operation.stream) {
    issuing().operation = &operation;
}

InStream::~InStream() { issuing() = outer_; }

namespace {

uint32_t label_of(Ordering& o, const Kernel* kernel) {
    const Issuing& now = issuing();
    const auto [known, fresh] =
        o.numbers.try_emplace({now.name, now.caller, kernel}, static_cast<uint32_t>(o.labels.size()));
    if (fresh) o.labels.push_back({now.name, now.caller, kernel, now.outer});
    return known->second;
}

// The host has waited. Where it has for all there is, nothing that comes can race with that.
void settle(Machine& m) {
    do_held(m, order::Clock(m.ordering.timelines.host));
    look_at_watched(m);
    m.ordering.staged.clear();
    if (order::is_idle(m.ordering.timelines)) order::clear(m.ordering.history);
}

bool is_device(const Region* r) {
    using Kind = Region::Kind;
    return r != nullptr && (r->kind == Kind::device || r->kind == Kind::variable || r->kind == Kind::array);
}

bool is_host(const Region* r) {
    using Kind = Region::Kind;
    return r == nullptr || r->kind == Kind::pinned || r->kind == Kind::registered;
}

}  // namespace

bool is_followed(const Machine& m) { return m.settings.races && !m.settings.folder.empty(); }

uint32_t label_of_call(Machine& m) { return label_of(m.ordering, nullptr); }

order::OperationPointer issue(Machine& m, const Kernel* kernel, int launch, bool programmatic) {
    if (!is_followed(m)) return nullptr;
    const Issuing& now = issuing();
    auto made = std::make_shared<order::Operation>(
        now.operation != nullptr ? *now.operation
                                 : order::begin_operation(m.ordering.timelines, now.stream, programmatic)
    );
    made->label = label_of(m.ordering, kernel);
    made->launch = launch;
    return made;
}

Touches note_rows(
    Machine& m, const order::OperationPointer& operation, const std::vector<TouchedRows>& rows
) {
    if (operation == nullptr) return nullptr;
    auto touches = std::make_shared<order::Touches>();
    for (const TouchedRows& r : rows) {
        if (region_of(m.memory, r.address) == nullptr) continue;
        const bool dense = r.pitch == r.width || r.height == 1;
        const uint64_t count = dense ? 1 : r.height, bytes = dense ? r.width * r.height : r.width;
        for (uint64_t k = 0; k < count; ++k) {
            order::Touch t;
            t.begin = r.address + k * r.pitch, t.end = t.begin + bytes, t.write = r.write;
            touches->all.push_back(t);
            if (t.write) refresh_watched(m, t.begin, t.end);
        }
    }
    report(m, compare(m, operation, touches, false));
    return touches;
}

void note_memory(Machine& m, const order::OperationPointer& operation, uint64_t base) {
    const auto found = m.memory.regions.find(base);
    if (found != m.memory.regions.end())
        note_rows(
            m,
            operation,
            {
                {base, found->second.bytes, found->second.bytes, 1, true}
        }
        );
}

bool waits_for_copy(const Machine& m, uint64_t to, uint64_t from) {
    const Region *target = region_of(m.memory, to), *source = region_of(m.memory, from);
    if (is_device(target) && is_device(source)) return false;
    if (issuing().waits) return true;
    return target == nullptr || (is_host(target) && is_host(source));
}

bool waits_for_fill(const Machine& m, uint64_t to) {
    return issuing().waits && !is_device(region_of(m.memory, to));
}

void host_waits_for(Machine& m, const order::OperationPointer& operation) {
    if (operation == nullptr || issuing().operation != nullptr) return;
    order::wait_for_operation(m.ordering.timelines, *operation);
    settle(m);
}

bool is_visible(const Machine& m, uint64_t address) { return region_of(m.memory, address) != nullptr; }

bool comes_to_host(const Machine& m, uint64_t to, uint64_t from) {
    return is_host(region_of(m.memory, to)) && is_device(region_of(m.memory, from));
}

void note_staged(Machine& m, uint64_t to, uint64_t from, uint64_t bytes) {
    constexpr size_t kMost = 64;
    if (!issuing().waits || region_of(m.memory, from) != nullptr || !is_device(region_of(m.memory, to)))
        return;
    if (m.ordering.staged.size() == kMost) {
        tell_note_once(
            m,
            "more than 64 copies from pageable memory between two waits for the device: whether work of "
            "other "
            "streams met those before the last 64 was not looked at"
        );
        m.ordering.staged.erase(m.ordering.staged.begin());
    }
    m.ordering.staged.emplace_back(to, to + bytes);
}

void add_stream(Machine& m, order::Handle stream, order::StreamKind kind, const std::string& name) {
    order::add_stream(m.ordering.timelines, stream, kind, name);
}
void remove_stream(Machine& m, order::Handle stream) { order::remove_stream(m.ordering.timelines, stream); }

void host_waits_for_stream(Machine& m, order::Handle stream) {
    order::wait_for_stream(m.ordering.timelines, stream);
    settle(m);
}
void host_waits_for_device(Machine& m) {
    order::wait_for_device(m.ordering.timelines);
    settle(m);
}
void host_waits_for_event(Machine& m, order::Handle event) {
    order::wait_for_event(m.ordering.timelines, event);
    settle(m);
}
void record_event(Machine& m, order::Handle event, order::Handle stream) {
    order::record(m.ordering.timelines, event, stream);
}
void wait_in_stream(Machine& m, order::Handle stream, order::Handle event) {
    order::wait_in_stream(m.ordering.timelines, stream, event);
}

namespace {

constexpr size_t kMostLate = 8;  // launches
constexpr uint64_t kMostLateBytes = uint64_t{64} << 20;

std::vector<order::Touch> touches_of(Machine& m, const execution::Accesses& accesses) {
    const bool alone = m.ordering.timelines.streams.size() < 2;
    if (!accesses.missing.empty() && !alone)
        tell_note_once(m, accesses.missing + " are not compared with what other streams do");
    std::vector<order::Touch> out;
    out.reserve(accesses.touched.size());
    for (const execution::Touched& t : accesses.touched)
        out.push_back({t.begin, t.end, t.site, t.write, t.strong, t.early});
    return out;
}

// Those of the latest launches are kept, as a stream that is made later may meet them.
void keep(Ordering& o, LateTouches now) {
    std::erase_if(o.late, [](const LateTouches& l) { return !l.touches->make; });
    o.late.push_back(std::move(now));
    uint64_t bytes = 0;
    for (const LateTouches& l : o.late) bytes += l.bytes;
    while (o.late.size() > kMostLate || bytes > kMostLateBytes) {
        bytes -= o.late.front().bytes;
        o.late.front().touches->make = nullptr, o.late.front().touches->lost = true;
        o.late.pop_front();
    }
}

// Whether the launch touched memory that the host sees without a copy.
bool meets_host(const Machine& m, const std::optional<execution::Reached>& reached) {
    const auto is_seen = [](const Region* r) { return r != nullptr && r->host != nullptr; };
    const auto& regions = m.memory.regions;
    if (!reached)
        return std::any_of(regions.begin(), regions.end(), [&](const auto& r) { return is_seen(&r.second); });
    const auto any = [&](const std::vector<uint64_t>& bases) {
        return std::any_of(bases.begin(), bases.end(), [&](uint64_t base) {
            return is_seen(region_of(m.memory, base));
        });
    };
    return any(reached->read) || any(reached->written);
}

}  // namespace

std::vector<order::Race> compare_launch(
    Machine& m, const order::OperationPointer& operation, const Executed& executed, Repeats& repeats
) {
    repeats.touched = nullptr;
    if (operation == nullptr || !executed.accesses) return {};
    const emulator::LateAccesses& late = *executed.accesses;
    if (late.full)
        tell_note_once(
            m,
            m.ordering.labels[operation->label].kernel->shown +
                ": races in global memory were looked for in a first part of a launch only: it has "
                "more than 67 million intervals of accesses"
        );
    const auto touches = std::make_shared<order::Touches>();
    touches->make = [&m, make = late.make] { return touches_of(m, make()); };
    repeats.touched = touches, repeats.fences = executed.result.contest.sections;
    if (late.lets_dependents) order::let_dependents(m.ordering.timelines, *operation);
    if (meets_host(m, executed.result.reached)) {
        for (const order::Touch& t : order::made(*touches))
            if (t.write && !m.ordering.watched.empty()) refresh_watched(m, t.begin, t.end);
        if (!holds_back(m)) watch(m, operation, touches->all);
    }
    std::vector<order::Race> races = compare(m, operation, touches, repeats.fences);
    if (touches->make) keep(m.ordering, {touches, late.bytes});
    return races;
}

}  // namespace wl::runtime
