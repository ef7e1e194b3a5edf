// Pages of pinned and managed memory that work may still use, while the program is outside of all calls: what
// the host reads or writes there too early is seen at its instruction. Pages that are not wholly of one
// allocation are left out.
#include "instrumentation/base/os/page_guard.h"
#include "instrumentation/runtime/machine.h"
#include "instrumentation/runtime/order_words.h"
#include "instrumentation/runtime/place.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>

namespace wl::runtime {
namespace {

// The pages that hold these bytes. No other allocation lies in one (host_memory.h).
GuardedPages pages_of(const Watched& w) {
    const uint64_t page = page_bytes();
    return {w.begin / page * page, (w.begin + w.bytes.size() + page - 1) / page * page, !w.write};
}

// Of the program, and not of this library, which may be at work for another thread.
bool is_of_program(const void* code) {
    Dl_info own{}, other{};
    const auto* here = reinterpret_cast<const void*>(&pages_of);
    if (dladdr(here, &own) == 0 || dladdr(code, &other) == 0) return true;
    return own.dli_fbase != other.dli_fbase;
}

// One range for pages that several operations use: whoever forbids more counts.
std::vector<GuardedPages> joined(std::vector<GuardedPages> all) {
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    std::vector<GuardedPages> out;
    for (const GuardedPages& p : all) {
        if (out.empty() || p.begin > out.back().end ||
            (p.begin == out.back().end && p.may_read != out.back().may_read)) {
            out.push_back(p);
            continue;
        }
        out.back().end = std::max(out.back().end, p.end);
        out.back().may_read = out.back().may_read && p.may_read;
    }
    return out;
}

void report_touch(Machine& m, const Watched& w, const PageTouch& t) {
    order::Touch touch;
    touch.write = w.write, touch.site = w.site;
    const Side one = side_of(m, *w.operation, touch);
    const auto* after = static_cast<const std::byte*>(t.code) + 1;  // place_of takes where a call returns to
    const std::string place = place_of(after);
    const char* verb = t.write ? "writes" : "reads";
    order::Race race;
    race.first = race.second = w.operation, race.one = touch;
    race.begin = t.address, race.bytes = 1;
    if (!m.ordering.known.insert(fmt::format("host {} {}", key_of(m, race), verb)).second) return;
    race.one.site = order::kNoSite;
    m.ordering.known.insert("host " + key_of(m, race));  // what it left there says the same once more
    capture::Finding f;
    f.rule = "race_host";
    f.where = where_of_call(place), f.other = one.where.line > 0 ? one.where : where_of_call(one.issued);
    f.title = fmt::format(
        "{}: the host {} what {} {}, before it has waited for it",
        place.empty() ? "the program" : place,
        verb,
        one.name,
        one.verb
    );
    const Region* region = region_of(m.memory, t.address);
    f.explanation = fmt::format(
        "{}. At {} the host {} byte {} of {}, and has not waited for that: on a GPU the work may not have "
        "begun, or be "
        "under way. Wait before (cudaStreamSynchronize({}), or an event that is recorded after it and "
        "cudaEventSynchronize).",
        as_sentence(told(one)),
        place.empty() ? "an unknown place" : place,
        verb,
        t.address - region->base,
        region->name,
        one.operation.stream_name
    );
    f.proof =
        fmt::format("the host's instruction at {} as executed, with {} not waited for", place, one.name);
    f.evidence = {
        {"bytes", 1.0}
    };
    tell_findings(m, one.name, w.operation->launch, {std::move(f)});
}

}  // namespace

void guard_host(Machine& m) {
    constexpr size_t kMostWatched = 256;  // each call goes through all
    const auto& watched = m.ordering.watched;
    std::vector<GuardedPages> pages;
    for (size_t k = 0; k < std::min(watched.size(), kMostWatched); ++k) {
        const Region* r = region_of(m.memory, watched[k].begin);
        const bool ours = r != nullptr && r->owned && r->shared == nullptr && !watched[k].polled;
        if (ours && !watched[k].bytes.empty()) pages.push_back(pages_of(watched[k]));
    }
    pages = joined(std::move(pages));
    if (pages.size() > kMostGuarded || watched.size() > kMostWatched)
        tell_note_once(
            m,
            "more parts of pinned and managed memory were in use by work at once than are guarded: whether "
            "the host "
            "reads the others too early was not looked at"
        );
    if (pages.size() > kMostGuarded) pages.resize(kMostGuarded);
    guard_pages(pages);
}

void look_at_guarded(Machine& m, const std::vector<PageTouch>& touches) {
    for (const PageTouch& t : touches)
        for (const Watched& w : m.ordering.watched) {
            const bool meets = w.begin <= t.address && t.address < w.begin + w.bytes.size();
            if (meets && (t.write || w.write) && !w.polled && is_of_program(t.code)) {
                report_touch(m, w, t);
                break;
            }
        }
}

}  // namespace wl::runtime
