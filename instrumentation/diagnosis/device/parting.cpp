// Stores are told apart by who makes them: the k-th of a lane at an instruction is the same one on both
// sides, wherever shared memory lies there.
#include "instrumentation/diagnosis/device/parting.h"

#include "instrumentation/base/block_text.h"
#include "instrumentation/diagnosis/progress.h"
#include "instrumentation/diagnosis/sequence.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace wl::diagnosis {
namespace {

using capture::Event;
using capture::EventKind;

using Maker = std::tuple<int, int, uint32_t>;  // warp, lane, site

std::vector<Event> events_of(const Apart& apart, const execution::Executable& executable) {
    const Experiment& e = apart.experiment;
    Prepared prepared = prepare(e);
    execution::RunOptions o = run_options(e.options, "run");
    o.checks = {.races = false, .uninitialised = false, .uniform = false};
    o.blocks = {apart.block}, o.record = true, o.recording.stores = true, o.marks = false;
    o.on_tile = [](execution::TileSnapshot&&) {};
    execution::RunResult result = executable.run(prepared.launch, prepared.memory, o);
    if (result.cancelled) throw_cancelled();
    return result.records.empty() ? std::vector<Event>{} : std::move(result.records.front().events);
}

// All that each stored, byte behind byte: the two may cut it into events in different ways.
using Streams = std::map<Maker, std::vector<std::byte>>;

Streams by_maker(const std::vector<Event>& events) {
    Streams out;
    for (const Event& e : events) {
        if (e.kind != EventKind::shared_write) continue;
        const auto* const bytes = reinterpret_cast<const std::byte*>(&e.value);
        std::vector<std::byte>& stream = out[{e.warp, e.lane, e.site}];
        stream.insert(stream.end(), bytes, bytes + e.bytes);
    }
    return out;
}

// The last type of the mnemonic: "st.shared.v2.f32 [...]".
std::string type_in(const std::string& text) {
    const size_t guard = text.starts_with('@') ? text.find(' ') + 1 : 0;
    const std::string mnemonic = text.substr(guard, text.find(' ', guard) - guard);
    return mnemonic.substr(mnemonic.rfind('.') + 1);
}

std::optional<DType> real_named(const std::string& type) {
    for (const DType d : {DType::f64, DType::f32, DType::f16, DType::bf16})
        if (type == name_of(d)) return d;
    return std::nullopt;
}

// Of a store's bytes: the numbers that its type makes of them, or its bits.
std::vector<double> numbers_in(const std::byte* bytes, size_t count, const std::string& type) {
    const std::optional<DType> real = real_named(type);
    std::vector<double> out;
    for (size_t at = 0; real && at + size_of(*real) <= count; at += size_of(*real))
        out.push_back(to_double(*real, bytes + at));
    if (!out.empty()) return out;
    uint64_t bits = 0;
    std::memcpy(&bits, bytes, std::min(count, sizeof bits));
    return {static_cast<double>(bits)};
}

// Numbers of floating point may be rounded; other bits may not differ at all.
bool is_beyond(double x, double y, bool real) {
    if (!real) return x != y;
    if (std::isnan(x) && std::isnan(y)) return false;
    return !(std::abs(x - y) <= kRounding * std::max(std::abs(x), std::abs(y)));
}

Parting parting_at(const Event& a, const execution::Listing& listing) {
    Parting p;
    p.warp = a.warp, p.lane = a.lane, p.epoch = a.epoch, p.site = a.site;
    p.text = listing.sites[a.site].text;
    return p;
}

// One store, as both made it, which differs in some bit.
Parting judged(const Event& a, const std::byte* b, const execution::Listing& listing) {
    Parting p = parting_at(a, listing);
    const std::string type = type_in(p.text);
    const std::vector<double> mine = numbers_in(reinterpret_cast<const std::byte*>(&a.value), a.bytes, type);
    p.a = mine.front(), p.missing = b == nullptr;
    if (p.missing) return p;
    const std::vector<double> theirs = numbers_in(b, a.bytes, type);
    p.what = Parting::What::bits, p.b = theirs.front();
    for (size_t k = 0; k < mine.size(); ++k) {
        if (mine[k] != theirs[k] && p.a == p.b) p.a = mine[k], p.b = theirs[k];
        if (!is_beyond(mine[k], theirs[k], real_named(type).has_value())) continue;
        p.what = Parting::What::store, p.a = mine[k], p.b = theirs[k];
        break;
    }
    return p;
}

// The store of the emulator that made the element of an output.
std::optional<Parting> writer_of(const Apart& apart, const std::vector<Event>& events) {
    const execution::GlobalMemory memory = prepare(apart.experiment).memory;
    const execution::Allocation* const array = execution::find_named(memory, apart.output);
    if (array == nullptr) return std::nullopt;
    const uint64_t address = array->base + apart.element;
    std::optional<Parting> out;
    for (const Event& e : events)
        if (e.kind == EventKind::global_write && e.address <= address && address < e.address + e.bytes)
            out = parting_at(e, *apart.a.listing);
    if (out) out->what = Parting::What::behind;
    return out;
}

}  // namespace

std::optional<Parting> find_parting(const Apart& apart) {
    const std::vector<Event> one = events_of(apart, apart.a);
    const Streams two = by_maker(events_of(apart, apart.b));
    std::map<Maker, size_t> made;  // bytes
    std::optional<Parting> first;  // in any bit
    uint64_t same = 0, stores = 0;
    for (const Event& a : one) {
        if (a.kind != EventKind::shared_write) continue;
        ++stores;
        const std::string& text = apart.a.listing->sites[a.site].text;
        if (text.find("mbarrier") != std::string::npos || text.find("cp.async") != std::string::npos)
            continue;
        const Maker maker{a.warp, a.lane, a.site};
        const size_t at = made[maker];
        made[maker] += a.bytes;
        const auto there = two.find(maker);
        const bool missing = there == two.end() || at + a.bytes > there->second.size();
        const std::byte* const b = missing ? nullptr : there->second.data() + at;
        if (b != nullptr && std::memcmp(&a.value, b, a.bytes) == 0) {
            ++same;
            continue;
        }
        Parting here = judged(a, b, *apart.a.listing);
        here.block = apart.block, here.same = same;
        if (here.what == Parting::What::store) return here;
        if (!first) first = here;
    }
    if (stores != 0 && two.empty()) return std::nullopt;  // b tells of none
    if (first) return first;
    std::optional<Parting> behind = apart.output.empty() ? std::nullopt : writer_of(apart, one);
    if (behind) behind->block = apart.block, behind->same = same;
    return behind;
}

std::string parting_text(const Parting& p, const capture::Capture& c) {
    const capture::Site& site = c.sites[p.site];
    const std::string place = site.source >= 0
        ? fmt::format("{}:{}", c.sources[static_cast<size_t>(site.source)].path, site.line)
        : fmt::format("instruction {}", p.site);
    const std::string who = fmt::format(
        "block {}, warp {}, lane {}, epoch {}", block_text(p.block, c.launch.grid), p.warp, p.lane, p.epoch
    );
    if (p.what == Parting::What::behind)
        return fmt::format(
            "all {} stores of the block to shared memory are the same in every bit: they differ after the "
            "last of them, in what {} stores at {} (`{}`)",
            p.same,
            who,
            place,
            p.text
        );
    std::string out = fmt::format("they differ at {}: {} stores {:.6g}", place, who, p.a);
    out += p.missing ? ", and the other one does not come to this store"
                     : fmt::format(", and the other one {:.6g}", p.b);
    out += fmt::format(" (`{}`); {} stores before it are the same in every bit", p.text, p.same);
    if (p.what == Parting::What::bits)
        out += fmt::format("; no store differs by more than {:g} of its size", kRounding);
    return out;
}

}  // namespace wl::diagnosis
