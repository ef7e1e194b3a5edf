#include "instrumentation/launches/joined.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace wl::launches {
namespace {

constexpr int kNone = -1;

struct Target {
    int memory = kNone;
    uint64_t offset = 0;
};

Target target_of(const RecordedLaunch& l, uint64_t address) {
    for (size_t m = 0; m < l.memory.size(); ++m) {
        const Memory& one = l.memory[m];
        if (one.base != 0 && address >= one.base && address - one.base < one.before.size())
            return {static_cast<int>(m), address - one.base};
    }
    return {};
}

uint64_t word_at(std::span<const std::byte> bytes) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), std::min(sizeof word, bytes.size()));
    return word;
}

struct Pairing {
    const RecordedLaunch &launch, &reference;
    std::vector<int> partner;  // by memory of the first
    std::deque<int> next;      // paired, and not looked into yet
    std::vector<std::string> hinder;
};

void pair(Pairing& p, int memory, int other) {
    int& partner = p.partner[static_cast<size_t>(memory)];
    if (partner != kNone) return;
    partner = other;
    p.next.push_back(memory);
}

// Pairs what both words point to. False: they are no pointers to the same, and differ.
bool follow(Pairing& p, uint64_t word, uint64_t other) {
    const Target to = target_of(p.launch, word), there = target_of(p.reference, other);
    if (to.memory == kNone || there.memory == kNone) return word == other;
    const size_t bytes = p.launch.memory[static_cast<size_t>(to.memory)].before.size();
    const size_t bytes_there = p.reference.memory[static_cast<size_t>(there.memory)].before.size();
    if (to.offset != there.offset || bytes != bytes_there) return false;
    pair(p, to.memory, there.memory);
    return true;
}

// Bytes at a device address.
struct Lying {
    uint64_t base = 0;
    std::span<const std::byte> bytes;
};

// Where both differ first in what is no pointer to the same. Pointers lie at aligned addresses: where the two
// begin at different ones, those of the first count.
std::optional<size_t> first_difference(Pairing& p, const Lying& one, std::span<const std::byte> other) {
    std::optional<size_t> out;
    size_t end = (0 - one.base) % sizeof(uint64_t);  // of the bytes before the first word
    for (size_t at = 0; at < one.bytes.size(); at = end, end += sizeof(uint64_t)) {
        const size_t count = std::min(end, one.bytes.size()) - at;
        const bool same = follow(p, word_at(one.bytes.subspan(at, count)), word_at(other.subspan(at, count)));
        if (!same && !out) out = at;
    }
    return out;
}

std::string called(const Memory& m) {
    return m.name.empty() ? fmt::format("memory at {:#x}", m.base) : m.name;
}

void pair_all(Pairing& p) {
    const RecordedLaunch &l = p.launch, &r = p.reference;
    for (size_t m = 0; m < l.memory.size(); ++m)
        for (size_t k = 0; k < r.memory.size(); ++k) {
            const Memory &one = l.memory[m], &other = r.memory[k];
            const bool same = one.is_variable && other.is_variable && one.name == other.name;
            if (same && one.before.size() == other.before.size())
                pair(p, static_cast<int>(m), static_cast<int>(k));
        }
    if (l.params.size() != r.params.size()) {
        p.hinder.push_back(fmt::format(
            "it takes {} bytes of parameters, and the reference's kernel {}", l.params.size(), r.params.size()
        ));
        return;
    }
    if (const auto at = first_difference(p, {0, l.params}, r.params))
        p.hinder.push_back(fmt::format("both were given other parameters: they differ from byte {} on", *at));
}

// Inputs that differ hinder; what a launch writes over may differ, and is only told.
void join_memory(Pairing& p, Joined& out) {
    for (; !p.next.empty(); p.next.pop_front()) {
        const auto m = static_cast<size_t>(p.next.front());
        const Memory& one = p.launch.memory[m];
        const Memory& other = p.reference.memory[static_cast<size_t>(p.partner[m])];
        const auto differs = first_difference(p, {one.base, one.before}, other.before);
        const bool changed = one.after == After::changed || other.after == After::changed;
        if (differs && !changed)
            p.hinder.push_back(
                fmt::format("both found other inputs: {} differs from byte {} on", called(one), *differs)
            );
        if (differs && changed)
            out.launch.notes.push_back(fmt::format(
                "before the launch {} differed from the reference's from byte {} on", called(one), *differs
            ));
        if (!changed) continue;
        out.launch.memory[m].after = After::changed;
        out.launch.memory[m].left = left_in(other);
    }
}

}  // namespace

Joined joined(const RecordedLaunch& launch, const RecordedLaunch& reference) {
    Joined out{launch, {}};
    Pairing p{launch, reference, std::vector<int>(launch.memory.size(), kNone), {}, {}};
    pair_all(p);
    join_memory(p, out);
    bool compares = false;
    for (size_t m = 0; m < launch.memory.size(); ++m) {
        Memory& one = out.launch.memory[m];
        const bool lone = p.partner[m] == kNone && one.after == After::changed;
        if (lone)
            out.launch.notes.push_back(
                called(one) + " has no counterpart in the reference, and is not compared"
            );
        if (lone) one.after = After::unknown, one.left.clear();
        compares = compares || one.after == After::changed;
    }
    if (!compares) p.hinder.emplace_back("neither changed memory that both have");
    if (!reference.fault.empty()) p.hinder.push_back("the reference ended with " + reference.fault);
    out.hinder = std::move(p.hinder);
    return out;
}

}  // namespace wl::launches
