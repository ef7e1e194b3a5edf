// Noting what the kernel under test did wrong: once per cause, with the first witness and a count.
#include "instrumentation/emulator/observe/incidents.h"

#include "instrumentation/emulator/device.h"
#include "instrumentation/emulator/machine/schedule.h"

#include <algorithm>

namespace wl::emulator {
namespace {

void note(Block& block, Incident&& incident) {
    const IncidentKey key{incident.kind, incident.first.site, incident.second.site};
    const auto [it, inserted] = block.seen.findings.try_emplace(key);
    if (inserted) {
        it->second = {std::move(incident), block.seen.findings.size()};
    } else {
        it->second.incident.count += incident.count;
    }
}

}  // namespace

Access witness(const Warp& w, const Instr* i, uint32_t lanes) {
    Access access;
    access.site = i->site;
    access.block = w.block->now.index;
    access.warp = w.index;
    access.lanes = lanes;
    access.epoch = w.epoch;
    return access;
}

void report(Block& block, Incident incident) {
    collect_shadow(block);
    note(block, std::move(incident));
}

bool count_again(Block& block, Incident::Kind kind, uint32_t site) {
    const auto it = block.seen.findings.find({kind, site, Access{}.site});
    if (it == block.seen.findings.end()) return false;
    ++it->second.incident.count;
    return true;
}

const Instr* give_up(Warp& w, const Instr* i, Incident incident) {
    report(*w.block, std::move(incident));
    w.block->now.aborted = true;
    return wait_at(w, i, Wait::collective);
}

void collect_shadow(Block& block) {
    if (block.now.variant == kPlain) return;
    const auto& variables = block.context.program->shared_variables;
    const bool reserved = !variables.empty() && variables.front().name == kReservedVariable;
    for (Incident& incident : take_incidents(block.shadow)) {
        // There the system's own headers hand values on by shuffles.
        if (reserved && incident.first.address < kSharedReserved) continue;
        note(block, std::move(incident));
    }
}

void merge(Findings& into, Findings&& from) {
    for (auto& [key, found] : from) {
        const auto [it, inserted] = into.try_emplace(key, found);
        if (inserted) continue;
        const uint64_t count = it->second.incident.count + found.incident.count;
        if (found.incident.first.block < it->second.incident.first.block) it->second = std::move(found);
        it->second.incident.count = count;
    }
}

std::vector<Incident> sorted(Findings&& findings) {
    std::vector<Found> all;
    all.reserve(findings.size());
    for (auto& [key, found] : findings) all.push_back(std::move(found));
    std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
        const auto rank = [](const Found& f) {
            const Incident& i = f.incident;
            return std::tuple(i.first.block, f.order, i.kind, i.first.site, i.second.site);
        };
        return rank(a) < rank(b);
    });
    std::vector<Incident> result;
    result.reserve(all.size());
    for (Found& found : all) result.push_back(std::move(found.incident));
    return result;
}

}  // namespace wl::emulator
