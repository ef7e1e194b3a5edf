// The trace: blocks one after the other under a watcher that computes along.
#include "instrumentation/emulator/fp64/fp64.h"

#include "instrumentation/emulator/fp64/fp64_state.h"

#include <algorithm>

namespace wl::emulator {
namespace {

void look_at(Fp64& f, Warp& w, const Instr* i) {
    const size_t index = code_index(*w.block, i);
    f.warp = &w;
    f.at = i;
    f.step = &f.plan->steps[index];
    f.kind = (*f.steps)[index];
    f.lanes = w.mask;
    if (f.kind.way == Fp64Way::none) return;
    if (f.frame != w.frame) {
        f.frame = w.frame;
        f.registers = &f.frames[w.frame];
        f.registers->resize(w.frame->function->file.bytes / kUnit);
    }
    if (f.step->guard.bits == 0) return;
    const uint32_t holds = predicate(w, f.step->guard.slot);
    f.lanes &= f.step->guard_negated ? ~holds : holds;
}

// What only moves is noted before the instruction, as its sources stand there then; of a collective, whose
// split may be called several times before it is executed, the last time counts.
void before(Fp64& f, Warp& w, const Instr* i) {
    f.coming.clear();
    look_at(f, w, i);
    switch (f.kind.way) {
        case Fp64Way::none: return;
        case Fp64Way::unknown: f.not_followed.insert(f.step->in->mnemonic); return;
        case Fp64Way::operate: return operate(f);
        case Fp64Way::convert: return convert(f);
        case Fp64Way::move:
        case Fp64Way::choose:
        case Fp64Way::permute:
        case Fp64Way::shuffle: return move(f);
        case Fp64Way::load:
        case Fp64Way::store:
        case Fp64Way::add_to_memory: return move_memory(f);
        case Fp64Way::product: return follow_product(f);
        default: return move_matrix(f);
    }
}

void after(Fp64& f, Warp& w, const Instr* i) {
    if (f.coming.empty() || f.at != i || f.warp != &w) return;
    for (const Coming& c : f.coming) note_result(f, c);
    f.coming.clear();
}

// Shared and local memory are the block's own, and so are its registers.
void begin(Fp64& f) {
    std::erase_if(f.pages, [](const auto& page) {
        return space_of_key(page.first * kPageBytes) != KeySpace::global;
    });
    f.frames.clear();
    f.frame = nullptr, f.registers = nullptr;
}

// Memory gets the companions; what they replace is told.
void write_back(const Fp64& f, GlobalMemory& memory, Fp64Trace& out) {
    for (const auto& [page, units] : f.pages) {
        if (space_of_key(page * kPageBytes) != KeySpace::global) continue;
        for (size_t k = 0; k < units.size(); ++k) {
            const Wide& w = units.at(k);
            if (w.format == DType::u8) continue;
            const auto bytes = static_cast<uint32_t>(size_of(w.format));
            const uint64_t address = page * kPageBytes + k * kUnit;
            Allocation* const a = execution::find(memory, address, bytes);
            if (a == nullptr) continue;
            std::byte* const data = a->bytes.data() + (address - a->base);
            uint64_t bits = 0;
            std::memcpy(&bits, data, bytes);
            if (bits != w.bits) continue;
            const double got = to_double(w.format, &bits);
            from_double(w.format, w.value, data);
            if (relative_difference(got, w.value) > 0)
                out.elements.push_back(
                    {a->name,
                     address - a->base,
                     w.format,
                     got,
                     w.value,
                     w.born,
                     w.born_in,
                     w.parted,
                     w.before,
                     w.behind}
                );
        }
    }
    std::sort(out.elements.begin(), out.elements.end(), [](const Fp64Element& a, const Fp64Element& b) {
        return std::tie(a.memory, a.offset) < std::tie(b.memory, b.offset);
    });
}

}  // namespace

Fp64Trace trace_fp64(const WatchedLaunch& run, const Fp64Options& options) {
    if (run.launch.cooperative) return {};
    const PoisonPlan plan = plan_poison(run.module, run.program);
    const std::vector<Fp64Step> steps = plan_fp64(plan);
    Fp64 f;
    f.plan = &plan, f.steps = &steps;
    for (const uint32_t site : options.unrounded) {
        f.unrounded.resize(std::max<size_t>(f.unrounded.size(), run.program.listing.sites.size()));
        if (site < f.unrounded.size()) f.unrounded[site] = 1;
    }
    WatchedBlocks blocks = watched_blocks(run, options.schedule_seed);
    blocks.watcher.before = [&f](Warp& w, const Instr* i) {
        before(f, w, i);
        return true;
    };
    blocks.watcher.after = [&f](Warp& w, const Instr* i) { after(f, w, i); };
    Fp64Trace out;
    const auto begun = [&f](const Block&) { begin(f); };
    const auto goes_on = [](uint64_t, uint64_t) { return true; };
    out.blocks = run_watched(blocks, run, {options.blocks, options.most_instructions}, begun, goes_on);
    write_back(f, run.memory, out);
    out.not_followed.assign(f.not_followed.begin(), f.not_followed.end());
    return out;
}

}  // namespace wl::emulator
