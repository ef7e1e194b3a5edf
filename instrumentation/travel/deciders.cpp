// The same rules as for values, with the questions that each register and byte is wanted for.
#include "instrumentation/travel/deciders.h"

#include "instrumentation/ptx/table/destinations.h"
#include "instrumentation/ptx/table/effects.h"
#include "instrumentation/travel/slice_walk.h"

#include <algorithm>
#include <bit>

namespace wl::travel {
namespace {

using ptx::Instruction;
using ptx::Operand;

constexpr uint64_t kWindow = 0xff00'0000'0000'0000;

void add_share(std::vector<Share>& shares, uint32_t question, uint32_t mask) {
    for (Share& s : shares)
        if (s.question == question) {
            s.mask |= mask;
            return;
        }
    shares.push_back({question, mask});
}

void want(Deciding& d, uint32_t question, const RegisterKey& key, uint32_t lanes) {
    if (lanes != 0 && key.reg >= 0) add_share(d.registers[key], question, lanes);
}

void want_memory(Deciding& d, uint32_t question, uint64_t place, uint32_t bytes) {
    each_word(place, bytes, [&](uint64_t word, uint8_t mask) { add_share(d.words[word], question, mask); });
}

// Takes the shares of the mask out of the map's entry.
template <class Map, class Key>
std::vector<Share> take(Map& map, const Key& key, uint32_t mask) {
    std::vector<Share> taken;
    const auto found = map.find(key);
    if (found == map.end()) return taken;
    for (Share& s : found->second) {
        if ((s.mask & mask) != 0) taken.push_back({s.question, s.mask & mask});
        s.mask &= ~mask;
    }
    std::erase_if(found->second, [](const Share& s) { return s.mask == 0; });
    if (found->second.empty()) map.erase(found);
    return taken;
}

int first_lane(uint32_t lanes) { return std::countr_zero(lanes); }

uint32_t instruction_of(const Deciding& d, uint32_t site) {
    return static_cast<uint32_t>(d.route.instructions[site] - d.route.function_of_site[site]->code.data());
}

const Control& control_here(Deciding& d, uint32_t site) {
    const ptx::Function* f = d.route.function_of_site[site];
    const auto [at, fresh] = d.controls.try_emplace(f);
    if (fresh) at->second = control_of(*f);
    return at->second;
}

// Registers behind an address: its base, and of a fragment the elements from line to line.
std::vector<int32_t> address_registers(const Instruction& in) {
    std::vector<int32_t> regs;
    for (const Operand& o : in.operands)
        if (o.kind == Operand::Kind::address && o.base_kind == Operand::Kind::reg) regs.push_back(o.index);
    const Operand* stride = operand_in(in, traits_of(in).stride);
    if (stride != nullptr && stride->kind == Operand::Kind::reg) regs.push_back(stride->index);
    return regs;
}

struct Questions {
    uint32_t address = 0, guard = 0;
};

void ask(Deciding& d, const Questions& q, const Executed& e, int lane) {
    const Instruction& in = *d.route.instructions[e.site];
    // The rows of a matrix come from the addresses of several lanes.
    const ptx::Traits& t = traits_of(in);
    const bool rows = t.extent == ptx::Extent::rows;
    if (reads_memory(in) || writes_memory(in))
        for (const int32_t reg : address_registers(in))
            want(d, q.address, {e.warp, e.depth, reg}, rows ? e.lanes : 1u << lane);
    if (in.guard.reg >= 0) want(d, q.guard, {e.warp, e.depth, in.guard.reg}, 1u << lane);
    if (t.flow == ptx::Flow::select && in.operands[3].kind == Operand::Kind::reg)
        want(d, q.guard, {e.warp, e.depth, in.operands[3].index}, 1u << lane);
    const Control& control = control_here(d, e.site);
    const bool decided = !control.deciders[control.block_of[instruction_of(d, e.site)]].empty();
    if (decided || e.depth > 0) d.undecided.push_back({q.guard, e.warp, lane, e.depth, e.site});
}

SliceStep& note_step(Deciding& d, const Executed& e, uint32_t question, const SliceStep& what) {
    const auto [at, fresh] = d.steps.try_emplace({question, e.site}, what);
    SliceStep& s = at->second;
    if (fresh) {
        s.site = e.site, s.last = e.order, s.warp = e.warp, s.nth = e.nth, s.depth = e.depth;
        if (d.deep) ask(d, {question, question}, e, s.lane);
    }
    s.first = e.order;
    ++s.times;
    return s;
}

// What a memory instruction took the wanted registers from.
void follow_read(
    Deciding& d, const Log& log, const Executed& e, uint32_t question, const LaneRegister& to, SliceStep& step
) {
    const Instruction& in = *d.route.instructions[e.site];
    for (const Transfer& t : transfers(in, e, log)) {
        if (t.lane != to.lane || (t.reg != to.reg && traits_of(in).memory != ptx::Memory::update)) continue;
        step.read_address = t.address, step.read_bytes = t.bytes;
        if (d.deep || (t.address & kWindow) == emulator::kLocalBase)
            want_memory(d, question, place_of(t.address, e.warp, t.lane), t.bytes);
    }
}

void follow_register(Deciding& d, const Log& log, const Executed& e, int32_t reg, const Share& share) {
    const Instruction& in = *d.route.instructions[e.site];
    SliceStep what;
    what.lane = first_lane(share.mask), what.reg = reg;
    SliceStep& step = note_step(d, e, share.question, what);
    for (uint32_t lanes = share.mask; lanes != 0; lanes &= lanes - 1) {
        const int lane = first_lane(lanes);
        if (loads_parameter(in)) {
            if (!loads_entry_parameter(e, in))
                d.passed[parameter_of(e, in, lane, reg)].push_back(share.question);
        } else if (reads_memory(in)) {
            follow_read(d, log, e, share.question, {lane, reg}, step);
        } else {
            for (const LaneRegister& s : sources(in, e, log, {lane, reg}))
                want(d, share.question, {e.warp, e.depth, s.reg}, 1u << s.lane);
        }
    }
}

void follow_memory(Deciding& d, const Log& log, const Executed& e, const Instruction& in) {
    if (d.words.empty() || !writes_memory(in)) return;
    for (const Transfer& t : transfers(in, e, log)) {
        if ((e.lanes >> t.lane & 1) == 0) continue;
        each_word(place_of(t.address, e.warp, t.lane), t.bytes, [&](uint64_t word, uint8_t mask) {
            for (const Share& share : take(d.words, word, mask)) {
                SliceStep what;
                what.lane = t.lane, what.address = t.address, what.bytes = t.bytes;
                note_step(d, e, share.question, what);
                want(d, share.question, {e.warp, e.depth, t.reg}, 1u << t.lane);
            }
        });
    }
}

void follow_passed(Deciding& d, const Log& log, const Executed& e, const Instruction& in) {
    if (d.passed.empty()) return;
    rename_passed(
        d.passed,
        renamed_by(d.route, log, e, in),
        [&](const PassedKey& to, std::vector<uint32_t> questions) { d.passed[to] = std::move(questions); }
    );
    for (const auto& [key, reg] : stored_parameters(e, in)) {
        const auto found = d.passed.find(key);
        if (found == d.passed.end()) continue;
        for (const uint32_t question : found->second)
            want(d, question, {e.warp, e.depth, reg}, 1u << key.lane);
        d.passed.erase(found);
    }
}

// A branch, or a return, that some lanes took and others might have.
bool chooses(const Instruction& in) {
    return ends_block(in) && (traits_of(in).control == ptx::Control::jump_table || in.guard.reg >= 0);
}

void meet_branch(Deciding& d, const Executed& e, const Instruction& in) {
    const Control& control = control_here(d, e.site);
    const ptx::Function* f = d.route.function_of_site[e.site];
    const int32_t reg =
        traits_of(in).control == ptx::Control::jump_table ? in.operands[0].index : in.guard.reg;
    std::vector<Undecided> decided;
    std::erase_if(d.undecided, [&](const Undecided& u) {
        const bool same = u.warp == e.warp && u.depth == e.depth && (e.active >> u.lane & 1) != 0 &&
            d.route.function_of_site[u.site] == f;
        if (!same || !decides(control, instruction_of(d, e.site), instruction_of(d, u.site))) return false;
        decided.push_back(u);
        return true;
    });
    for (const Undecided& u : decided) {
        SliceStep what;
        what.lane = u.lane, what.reg = reg;
        note_step(d, e, u.question, what);
        want(d, u.question, {e.warp, e.depth, reg}, 1u << u.lane);
    }
}

void meet_call(Deciding& d, const Executed& e, const Instruction& in) {
    if (traits_of(in).control != ptx::Control::call) return;
    for (Undecided& u : d.undecided)
        if (u.warp == e.warp && u.depth == e.depth + 1 && (e.active >> u.lane & 1) != 0)
            u.depth = e.depth, u.site = e.site;
}

uint32_t question_of(Deciding& d, uint32_t site, Decider::Kind kind) {
    const std::pair question{site, kind};
    const auto found = std::find(d.questions.begin(), d.questions.end(), question);
    if (found != d.questions.end()) return static_cast<uint32_t>(found - d.questions.begin());
    d.questions.push_back(question);
    return static_cast<uint32_t>(d.questions.size()) - 1;
}

// Registers that are written in some block that the branch decides about, by way of other branches too.
const std::vector<int32_t>& kept_by(Deciding& d, uint32_t site) {
    const auto [at, fresh] = d.kept_by.try_emplace(site);
    if (!fresh) return at->second;
    const Control& control = control_here(d, site);
    const ptx::Function& f = *d.route.function_of_site[site];
    std::vector<uint32_t> branches = {instruction_of(d, site)};
    std::vector<bool> decided(control.deciders.size());
    for (size_t b = 0; b < branches.size(); ++b)
        for (uint32_t k = 0; k < f.code.size(); ++k) {
            const uint32_t block = control.block_of[k];
            if (decided[block] || !decides(control, branches[b], k)) continue;
            decided[block] = true;
            for (uint32_t i = k; i < f.code.size() && control.block_of[i] == block; ++i) {
                for (const int32_t reg : registers(f.code[i], 0, ptx::destination_count(f.code[i])))
                    at->second.push_back(reg);
                if (chooses(f.code[i])) branches.push_back(i);
            }
        }
    std::sort(at->second.begin(), at->second.end());
    at->second.erase(std::unique(at->second.begin(), at->second.end()), at->second.end());
    return at->second;
}

uint32_t lanes_wanted(const Deciding& d, const RegisterKey& key, const WantedRegisters& values) {
    uint32_t lanes = 0;
    if (const auto value = values.find(key); value != values.end()) lanes = value->second;
    if (const auto shares = d.registers.find(key); shares != d.registers.end())
        for (const Share& s : shares->second) lanes |= s.mask;
    return lanes;
}

}  // namespace

void ask_what_kept(Deciding& d, const Executed& e, const WantedRegisters& values) {
    const Instruction& in = *d.route.instructions[e.site];
    if (in.guard.reg < 0) return;
    const bool branch = ends_block(in);
    const std::vector<int32_t> own =
        branch ? std::vector<int32_t>{} : registers(in, 0, ptx::destination_count(in));
    uint32_t lanes = 0;
    for (const int32_t reg : branch ? kept_by(d, e.site) : own)
        lanes |= lanes_wanted(d, {e.warp, e.depth, reg}, values);
    lanes &= branch ? e.active : e.active & ~e.lanes;
    if (lanes == 0) return;
    SliceStep what;
    what.lane = first_lane(lanes), what.reg = in.guard.reg;
    const uint32_t question = question_of(d, e.site, Decider::Kind::guard);
    note_step(d, e, question, what);
    want(d, question, {e.warp, e.depth, in.guard.reg}, lanes);
}

void ask_for_deciders(Deciding& d, const Executed& e, const SliceStep& step) {
    const uint32_t address = question_of(d, e.site, Decider::Kind::address);
    ask(d, {address, question_of(d, e.site, Decider::Kind::guard)}, e, step.lane);
}

void decide_back(Deciding& d, const Log& log, const Executed& e) {
    const Instruction& in = *d.route.instructions[e.site];
    if (!d.undecided.empty()) {
        if (chooses(in)) meet_branch(d, e, in);
        meet_call(d, e, in);
    }
    if (e.lanes == 0) return;
    follow_passed(d, log, e, in);
    follow_memory(d, log, e, in);
    if (d.registers.empty()) return;
    for (const int32_t reg : registers(in, 0, ptx::destination_count(in)))
        for (const Share& share : take(d.registers, RegisterKey{e.warp, e.depth, reg}, e.lanes))
            follow_register(d, log, e, reg, share);
}

bool nothing_wanted(const Deciding& d) {
    return d.registers.empty() && d.words.empty() && d.passed.empty() && d.undecided.empty();
}

std::vector<Decider> deciders_of(const Deciding& d) {
    std::vector<Decider> out;
    for (const auto& [key, step] : d.steps)
        out.push_back({d.questions[key.first].first, d.questions[key.first].second, step});
    std::stable_sort(out.begin(), out.end(), [](const Decider& a, const Decider& b) {
        return a.step.last < b.step.last;
    });
    return out;
}

}  // namespace wl::travel
