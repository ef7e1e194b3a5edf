#include "instrumentation/runtime/stream_values.h"

#include "instrumentation/emulator/schedule/others.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/order_words.h"
#include "instrumentation/runtime/residents.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

Touches touch_of(const StreamValue& v, bool write) {
    auto out = std::make_shared<order::Touches>();
    order::Touch t;
    t.begin = v.address, t.end = v.address + v.bytes, t.write = write, t.strong = true;
    out->all = {t};
    return out;
}

bool is_there(const Machine& m, const StreamValue& v) {
    const Region* r = region_of(m.memory, v.address);
    return r != nullptr && v.address - r->base + v.bytes <= r->bytes && v.address % v.bytes == 0;
}

uint64_t value_at(Machine& m, const StreamValue& v) {
    uint64_t out = 0;
    const execution::Allocation* a = execution::find(m.memory.global, v.address, v.bytes);
    if (a != nullptr) std::memcpy(&out, a->bytes.data() + (v.address - a->base), v.bytes);
    return out;
}

bool is_over(Machine& m, const StreamValue& v, Until until) {
    const uint64_t all = v.bytes == 4 ? UINT32_MAX : UINT64_MAX, now = value_at(m, v), value = v.value & all;
    switch (until) {
        case Until::at_least: return ((now - value) & all) <= all / 2;
        case Until::equal: return now == value;
        case Until::common_bits: return (now & value) != 0;
        case Until::other_bits: return (~(now | value) & all) != 0;
    }
    return true;
}

void write_now(Machine& m, const order::OperationPointer& operation, const StreamValue& v, bool fences) {
    catch_up(m);
    copy(m.memory, v.address, v.bytes, reinterpret_cast<uint64_t>(&v.value), v.bytes, {v.bytes, 1});
    if (operation == nullptr) return;
    refresh_watched(m, v.address, v.address + v.bytes);
    report(m, compare(m, operation, touch_of(v, true), fences));
    go_on(m, {});
}

// Who wrote the value comes before what waited for it.
void acquire(Machine& m, const order::Operation& wait, const StreamValue& v) {
    order::Clock written = order::written_by(m.ordering.history, v.address, v.address + v.bytes);
    order::join(written, resident_clock(m, wait));
    order::learn(m.ordering.timelines, wait.stream, written);
    for (const Held& h : m.ordering.held)
        if (order::holds(h.operation->before, wait.at))
            order::join(const_cast<order::Operation&>(*h.operation).before, written);
}

void report_endless(Machine& m, const order::Operation& wait, const StreamValue& v) {
    std::string why;
    is_given_up(why);
    const Side side = side_of(m, wait, {});
    const Region* region = region_of(m.memory, v.address);
    const std::string what = fmt::format(
        "{}{} waits for a value at byte {} of {}",
        side.name,
        at(side.issued),
        v.address - region->base,
        region->name
    );
    if (!why.empty() || region->host != nullptr)
        return tell_error_once(
            m,
            what + (why.empty() ? ", which the host sees and has not written" : "; " + why) + ": it was ended"
        );
    capture::Finding f;
    f.rule = "deadlock";
    f.where = where_of_call(side.issued);
    f.title = fmt::format("{}: {} waits for a value that nobody writes", line_of(side), wait.stream_name);
    f.explanation = fmt::format(
        "{}, which holds {:#x} and not what it waits for. The host waits for {}, and no launch and no other "
        "stream goes on.",
        what,
        value_at(m, v),
        wait.stream_name
    );
    f.proof = "no work that the program has issued changes the value";
    tell_findings(m, side.name, 0, {std::move(f)});
}

void wait_now(Machine& m, const order::OperationPointer& operation, const StreamValue& v, Until until) {
    catch_up(m);
    const auto work = [&m, operation, v, until] {
        while (!is_over(m, v, until))
            if (!emulator::other_launches()->when_stuck()) return report_endless(m, *operation, v);
        acquire(m, *operation, v);
        report(m, compare(m, operation, touch_of(v, false), true));
    };
    begin_resident(m, {operation, 0, 1, work});
}

}  // namespace

bool write_value(Machine& m, const StreamValue& v, bool fences) {
    if (!is_there(m, v)) return false;
    const order::OperationPointer operation = issue(m);
    const auto work = [&m, operation, v, fences] { write_now(m, operation, v, fences); };
    if (operation != nullptr && holds_back(m))
        hold(m, operation, work);
    else
        work();
    return true;
}

bool wait_for_value(Machine& m, const StreamValue& v, Until until) {
    if (!is_there(m, v)) return false;
    const order::OperationPointer operation = issue(m);
    if (operation == nullptr) {
        if (!is_over(m, v, until))
            tell_error_once(
                m, "a stream waits for a value; without the check of races its work does not wait for it"
            );
        return true;
    }
    const auto work = [&m, operation, v, until] { wait_now(m, operation, v, until); };
    if (holds_back(m))
        hold(m, operation, work);
    else
        work();
    return true;
}

}  // namespace wl::runtime
