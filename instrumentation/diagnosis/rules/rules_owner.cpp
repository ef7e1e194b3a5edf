// race_shared, where two warps own the same element: both write it by the same line within one barrier epoch.
#include "instrumentation/diagnosis/prove/prove.h"
#include "instrumentation/diagnosis/rules/places.h"
#include "instrumentation/diagnosis/rules/rules.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::diagnosis {

namespace {

using emulator::Incident;
using Kind = Incident::Kind;

// Races between two writes by one line, one a tile.
struct Shared {
    std::vector<const Incident*> incidents;
    std::vector<std::string> tiles;
    MarkedElement element;  // of the first
    uint64_t count = 0;
};

Shared shared_elements(const Symptoms& s) {
    std::vector<const Incident*> in_order;  // of the program, whichever was seen first
    for (const Incident& i : s.incidents) {
        const bool two_writers = i.first.write && i.second.write && i.first.warp != i.second.warp;
        if (i.kind == Kind::race_shared && two_writers) in_order.push_back(&i);
    }
    std::stable_sort(in_order.begin(), in_order.end(), [](const Incident* a, const Incident* b) {
        return a->second.site < b->second.site;
    });
    Shared out;
    for (const Incident* i : in_order) {
        const capture::Where a = where_of(s, i->first.site), b = where_of(s, i->second.site);
        const auto at = element_at(s.capture, i->first.block, i->second.address);
        if (a.line == 0 || !same_line(a, b) || !at) continue;
        out.count += i->count;
        if (out.tiles.empty()) out.element = *at;
        if (std::find(out.tiles.begin(), out.tiles.end(), at->tile) != out.tiles.end()) continue;
        out.incidents.push_back(i), out.tiles.push_back(at->tile);
    }
    return out;
}

std::string list(const std::vector<std::string>& names) {
    std::string out;
    for (size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return out;
}

std::string orders_text(const Orders& o) {
    if (o.wrong == 0) return {};
    return fmt::format(
        "; of {} orders of warps {} give right outputs and {} wrong ones: with schedule {}, {} of {} "
        "elements of the block{}",
        o.right + o.wrong,
        o.right,
        o.wrong,
        o.worst_order,
        o.worst.bad,
        o.worst.compared,
        away_text(o.worst)
    );
}

}  // namespace

Ruled owner_rule(const Symptoms& s) {
    const Shared shared = shared_elements(s);
    if (shared.incidents.empty()) return {};
    const Incident& i = *shared.incidents.front();
    const Orders orders = try_orders(s, false);
    const std::string element = text_of(shared.element);
    capture::Finding f;
    f.rule = "race_shared";
    f.where = where_of_access(s, i.second), f.other = where_of_access(s, i.first);
    f.where.tile = shared.tiles.front();
    f.count = shared.count;
    f.title = fmt::format(
        "two warps write one element of {} within one barrier epoch: warps {} and {}",
        list(shared.tiles),
        i.first.warp,
        i.second.warp
    );
    f.explanation = fmt::format(
        "Warps {} and {} both write {} at {} in epoch {} of block {}, and nothing orders them: each computes "
        "from "
        "what it read before, so one overwrites the other's share. Give every element one owner, or let the "
        "owners take turns with a barrier between.",
        i.first.warp,
        i.second.warp,
        element,
        quoted(s.capture, f.where),
        i.second.epoch,
        block_text(s.capture, i.second.block)
    );
    f.proof = fmt::format(
        "warp {}, {}, and warp {}, {}, write {} in epoch {}{}",
        i.first.warp,
        lanes_named(i.first.lanes),
        i.second.warp,
        lanes_named(i.second.lanes),
        element,
        i.second.epoch,
        orders_text(orders)
    );
    // Right in one order and wrong in another: nothing but the order is the cause.
    if (orders.right > 0 && orders.wrong > 0) f.evidence_kind = capture::EvidenceKind::proven;
    f.evidence = {
        {"tiles",        static_cast<double>(shared.tiles.size())},
        {"epoch",        static_cast<double>(i.second.epoch)     },
        {"orders_right", static_cast<double>(orders.right)       },
        {"orders_wrong", static_cast<double>(orders.wrong)       }
    };
    Ruled out;
    out.explains = is_proven(f);
    if (is_proven(f))
        out.claim = {
            {"race_shared", "race_warp"},
            shared.tiles,
            "listed after the elements with two owners, without a trial of its own"
        };
    out.findings.push_back(std::move(f));
    return out;
}

}  // namespace wl::diagnosis
