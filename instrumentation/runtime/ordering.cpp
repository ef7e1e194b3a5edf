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

bool is_followed(const Machine& m) { return m.settings.races && !m.settings.folder.empty(); }

bool is_device(const Region* r) {
    using Kind = Region::Kind;
    return r != nullptr && (r->kind == Kind::device || r->kind == Kind::variable || r->kind == Kind::array);
}

bool is_host(const Region* r) {
    using Kind = Region::Kind;
    return r == nullptr || r->kind == Kind::pinned || r->kind == Kind::registered;
}

}  // namespace

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
    auto touches = std::make_shared<std::vector<order::Touch>>();
    for (const TouchedRows& r : rows) {
        if (region_of(m.memory, r.address) == nullptr) continue;
        const bool dense = r.pitch == r.width || r.height == 1;
        const uint64_t count = dense ? 1 : r.height, bytes = dense ? r.width * r.height : r.width;
        for (uint64_t k = 0; k < count; ++k) {
            order::Touch t;
            t.begin = r.address + k * r.pitch, t.end = t.begin + bytes, t.write = r.write;
            touches->push_back(t);
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
    if (m.ordering.staged.size() == kMost) m.ordering.staged.erase(m.ordering.staged.begin());
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

Touches touches_of(const execution::Accesses& accesses) {
    auto out = std::make_shared<std::vector<order::Touch>>();
    out->reserve(accesses.touched.size());
    for (const execution::Touched& t : accesses.touched)
        out->push_back({t.begin, t.end, t.site, t.write, t.strong, t.early});
    return out;
}

std::vector<order::Race> compare_launch(
    Machine& m, const order::OperationPointer& operation, const execution::RunResult& result, Repeats& repeats
) {
    repeats.touched = nullptr;
    if (operation == nullptr || !result.touched) return {};
    const execution::Accesses& all = *result.touched;
    repeats.touched = touches_of(all), repeats.fences = result.contest.sections;
    if (all.lets_dependents) order::let_dependents(m.ordering.timelines, *operation);
    const bool alone = m.ordering.timelines.streams.size() < 2;
    if (!all.missing.empty() && !alone)
        tell_note_once(m, all.missing + " are not compared with what other streams do");
    for (const order::Touch& t : *repeats.touched)
        if (t.write && !m.ordering.watched.empty()) refresh_watched(m, t.begin, t.end);
    if (!holds_back(m)) watch(m, operation, *repeats.touched);
    return compare(m, operation, repeats.touched, repeats.fences);
}

}  // namespace wl::runtime
