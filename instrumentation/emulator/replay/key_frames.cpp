// Copying a block's state out and back in. Pointers into the block's memory and into global allocations stay
// valid, because both stay where they are; pointers to frames become numbers and back.
#include "instrumentation/emulator/replay/key_frames.h"

#include "instrumentation/emulator/global/turn_log.h"
#include "instrumentation/emulator/machine/schedule.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_set>

namespace wl::emulator {
namespace {

// ---- pages

struct Paging {
    uint64_t fresh = 0;
};

PagedBytes paged(std::span<const std::byte> bytes, const PagedBytes* before, Paging& paging) {
    PagedBytes out;
    out.pages.reserve((bytes.size() + kPage - 1) / kPage);
    for (size_t at = 0; at < bytes.size(); at += kPage) {
        const size_t size = std::min(kPage, bytes.size() - at), k = out.pages.size();
        if (before != nullptr && k < before->pages.size() &&
            std::memcmp(before->pages[k]->data(), bytes.data() + at, size) == 0) {
            out.pages.push_back(before->pages[k]);
            continue;
        }
        const auto page = std::make_shared<Page>();
        std::memcpy(page->data(), bytes.data() + at, size);
        out.pages.push_back(page);
        paging.fresh += kPage;
    }
    return out;
}

void unpage(const PagedBytes& paged, std::span<std::byte> out) {
    for (size_t k = 0; k * kPage < out.size(); ++k)
        std::memcpy(out.data() + k * kPage, paged.pages[k]->data(), std::min(kPage, out.size() - k * kPage));
}

// ---- fields that are copied as they are
// The bindings name every field, so that a new one does not compile until it has been thought of here.

template <class W>
auto plain_fields_of_warp(W& w) {
    auto& [registers, frame, mask, carry, shared, shared_bytes, block, segment, clock, slice_end, joined, slept, exists, live, picks, held_back, idle, index, epoch, cluster_arrived, current, split_count, splits, ended_from, copies, products, mark_counts, fragment, stack, entry, active, spare] =
        w;
    return std::tie(
        mask,
        carry,
        segment,
        clock,
        slice_end,
        joined,
        slept,
        exists,
        live,
        picks,
        held_back,
        idle,
        epoch,
        cluster_arrived,
        current,
        split_count,
        splits,
        ended_from,
        copies,
        products,
        mark_counts,
        fragment,
        stack.stride,
        stack.top
    );
}

template <class F>
auto plain_fields_of_frame(F& f) {
    auto& [parent, function, call, registers, lanes, depth, block, base, below, storage] = f;
    return std::tie(function, call, lanes, depth, block, base, below);
}

// ---- frames

std::vector<const Frame*> frames_of(const Warp& w) {
    std::vector<const Frame*> frames = {w.entry.get()};
    for (const auto& f : w.active) frames.push_back(f.get());
    for (const auto& of_function : w.spare)
        for (const auto& f : of_function) frames.push_back(f.get());
    return frames;
}

int number_of(const std::vector<const Frame*>& frames, const Frame* frame) {
    const auto found = std::find(frames.begin(), frames.end(), frame);
    return found == frames.end() ? -1 : static_cast<int>(found - frames.begin());
}

WarpState state_of(const Warp& w, const WarpState* before, Paging& paging) {
    WarpState state;
    plain_fields_of_warp(state.plain) = plain_fields_of_warp(w);
    const std::vector<const Frame*> frames = frames_of(w);
    for (const Frame* f : frames) {
        const size_t k = state.frames.size();
        FrameState& to = state.frames.emplace_back();
        plain_fields_of_frame(to.plain) = plain_fields_of_frame(*f);
        to.parent = number_of(frames, f->parent);
        to.lines = f->storage.size();
        const bool known = before != nullptr && k < before->frames.size();
        to.registers = paged(
            std::as_bytes(std::span(f->storage)), known ? &before->frames[k].registers : nullptr, paging
        );
    }
    state.active = w.active.size();
    for (const auto& of_function : w.spare) state.spare.push_back(of_function.size());
    for (int k = 0; k < w.split_count; ++k)
        state.of_split.push_back(number_of(frames, w.splits[static_cast<size_t>(k)].frame));
    state.stack = paged(w.stack.bytes, before != nullptr ? &before->stack : nullptr, paging);
    return state;
}

void restore_frame(Frame& frame, const FrameState& state) {
    plain_fields_of_frame(frame) = plain_fields_of_frame(state.plain);
    frame.storage.resize(state.lines);
    frame.registers = frame.storage.data()->bytes;
    unpage(state.registers, std::as_writable_bytes(std::span(frame.storage)));
}

void restore_warp(Warp& w, const WarpState& state) {
    plain_fields_of_warp(w) = plain_fields_of_warp(state.plain);
    w.active.clear();
    w.spare.clear();
    w.spare.resize(state.spare.size());
    std::vector<Frame*> frames = {w.entry.get()};
    for (size_t k = 0; k < state.active; ++k)
        frames.push_back(w.active.emplace_back(std::make_unique<Frame>()).get());
    for (size_t f = 0; f < state.spare.size(); ++f)
        for (size_t k = 0; k < state.spare[f]; ++k)
            frames.push_back(w.spare[f].emplace_back(std::make_unique<Frame>()).get());
    const auto at = [&](int k) { return k < 0 ? nullptr : frames[static_cast<size_t>(k)]; };
    for (size_t k = 0; k < frames.size(); ++k) {
        restore_frame(*frames[k], state.frames[k]);
        frames[k]->parent = at(state.frames[k].parent);
    }
    for (size_t k = 0; k < state.of_split.size(); ++k) w.splits[k].frame = at(state.of_split[k]);
    w.stack.bytes.resize(size_t{w.stack.stride} * kLanes);
    unpage(state.stack, w.stack.bytes);
    if (w.split_count != 0) become(w, running(w));
}

}  // namespace

KeyFrame key_frame(const Block& block, const Turn& turn, const KeyFrame* before) {
    KeyFrame state;
    Paging paging;
    state.turn = turn;
    state.turn.slice_end = block.warps[static_cast<size_t>(turn.warp)].slice_end;
    if (const PairRun* pair = pair_of(block); pair != nullptr) state.pair = pair->now;
    state.plain = block.now;
    state.block_turn = block.turn;
    for (size_t k = 0; k < block.warps.size(); ++k)
        state.warps.push_back(
            state_of(block.warps[k], before != nullptr ? &before->warps[k] : nullptr, paging)
        );
    state.shared = paged(block.shared, before != nullptr ? &before->shared : nullptr, paging);
    for (const std::vector<std::byte>* bytes : memory_of(*block.context.memory)) {
        const size_t k = state.allocations.size();
        const bool known = before != nullptr && k < before->allocations.size();
        state.allocations.push_back(paged(*bytes, known ? &before->allocations[k] : nullptr, paging));
    }
    if (const Heap* heap = block.context.memory->heap.get(); heap != nullptr) {
        state.heap_pieces = heap->pieces;
        state.heap_next = heap->next;
    }
    state.fresh = paging.fresh;
    return state;
}

void restore(Block& block, const KeyFrame& state) {
    block.now = state.plain;
    block.turn = state.block_turn;
    block.seen = {};
    if (PairRun* pair = pair_of(block); pair != nullptr) pair->now = state.pair;
    block.now.aborted = false;
    for (size_t k = 0; k < block.warps.size(); ++k) restore_warp(block.warps[k], state.warps[k]);
    unpage(state.shared, block.shared);
    const std::vector<std::vector<std::byte>*> memory = memory_of(*block.context.memory);
    for (size_t k = 0; k < memory.size(); ++k) unpage(state.allocations[k], *memory[k]);
    if (Heap* heap = block.context.memory->heap.get(); heap != nullptr) {
        heap->pieces = state.heap_pieces;
        heap->next = state.heap_next;
    }
}

uint64_t bytes_of(const std::vector<KeyFrame>& states) {
    std::unordered_set<const Page*> pages;
    const auto add = [&](const PagedBytes& bytes) {
        for (const auto& page : bytes.pages) pages.insert(page.get());
    };
    for (const KeyFrame& state : states) {
        add(state.shared);
        for (const PagedBytes& bytes : state.allocations) add(bytes);
        for (const WarpState& w : state.warps) {
            add(w.stack);
            for (const FrameState& f : w.frames) add(f.registers);
        }
    }
    return pages.size() * kPage;
}

}  // namespace wl::emulator
