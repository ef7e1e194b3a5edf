// Comparing memory between turns, page by page.
#include "instrumentation/emulator/global/turn_log.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace wl::emulator {
namespace {

constexpr size_t kCompared = 4096;  // bytes at a time

struct Span {
    size_t begin = 0, size = 0;
};
Span span_of(size_t page, size_t bytes) {
    return {page * kCompared, std::min(kCompared, bytes - page * kCompared)};
}
size_t pages_of(const std::vector<std::byte>& bytes) { return (bytes.size() + kCompared - 1) / kCompared; }

// From the first to the last byte of the page that differs; it counts as seen then.
void add_changes(TurnLog& log, TurnStart& turn, TurnLog::PageNumber at, const std::vector<std::byte>& now) {
    std::vector<std::byte>& before = log.seen[at.memory];
    const Span page = span_of(at.page, now.size());
    if (std::memcmp(before.data() + page.begin, now.data() + page.begin, page.size) == 0) return;
    size_t first = page.begin, last = page.begin + page.size;
    while (before[first] == now[first]) ++first;
    while (before[last - 1] == now[last - 1]) --last;
    log.bytes += sizeof(Piece) + last - first;
    const auto begin = now.begin() + static_cast<std::ptrdiff_t>(first);
    turn.pieces.push_back({
        at.memory, first, {begin, now.begin() + static_cast<std::ptrdiff_t>(last)}
    });
    std::memcpy(before.data() + first, now.data() + first, last - first);
}

// Every page that may have changed since this was last called.
template <class F>
void for_changed_pages(TurnLog& log, const F& look) {
    if (!log.is_told) {
        for (size_t k = 0; k < log.seen.size(); ++k)
            for (size_t page = 0; page < pages_of(log.seen[k]); ++page) look(TurnLog::PageNumber{k, page});
        return;
    }
    for (const TurnLog::PageNumber& at : log.written) {
        look(at);
        log.is_among[at.memory][at.page] = false;
    }
    log.written.clear();
}

void note_page(TurnLog& log, TurnLog::PageNumber at) {
    if (log.is_among[at.memory][at.page]) return;
    log.is_among[at.memory][at.page] = true;
    log.written.push_back(at);
}

}  // namespace

std::vector<std::vector<std::byte>*> memory_of(GlobalMemory& memory) {
    std::vector<std::vector<std::byte>*> all;
    for (Allocation& a : memory.allocations) all.push_back(&a.bytes);
    if (memory.heap != nullptr) all.push_back(&memory.heap->arena.bytes);
    return all;
}

void start(TurnLog& log, GlobalMemory& memory) {
    for (const std::vector<std::byte>* bytes : memory_of(memory)) {
        log.seen.push_back(*bytes);
        log.is_among.emplace_back(pages_of(*bytes));
    }
}

void turn_begins(TurnLog& log, GlobalMemory& memory, TurnKind kind) {
    if (log.full) return;
    TurnStart turn;
    turn.kind = kind;
    turn.diverged = std::exchange(log.diverged, false);
    const std::vector<std::vector<std::byte>*> all = memory_of(memory);
    assert(all.size() == log.seen.size());
    for_changed_pages(log, [&](TurnLog::PageNumber at) { add_changes(log, turn, at, *all[at.memory]); });
    if (memory.heap != nullptr) {
        turn.heap_pieces = memory.heap->pieces;
        turn.heap_next = memory.heap->next;
        log.bytes += turn.heap_pieces.size() * sizeof(std::pair<const uint64_t, HeapPiece>);
    }
    log.full = log.bytes > log.limit;
    if (!log.full) log.turns.push_back(std::move(turn));
}

void turn_ends(TurnLog& log, GlobalMemory& memory) {
    const std::vector<std::vector<std::byte>*> all = memory_of(memory);
    for_changed_pages(log, [&](TurnLog::PageNumber at) {
        const Span page = span_of(at.page, all[at.memory]->size());
        std::byte* seen = log.seen[at.memory].data() + page.begin;
        if (std::memcmp(seen, all[at.memory]->data() + page.begin, page.size) != 0)
            std::memcpy(seen, all[at.memory]->data() + page.begin, page.size);
    });
}

void note_store(TurnLog& log, const GlobalMemory& memory, uint64_t address, uint32_t bytes) {
    const auto note = [&](size_t number, const Allocation& a) {
        if (address < a.base || address - a.base >= a.bytes.size()) return false;
        const uint64_t first = address - a.base, last = std::min(first + bytes, a.bytes.size()) - 1;
        for (uint64_t page = first / kCompared; page <= last / kCompared; ++page)
            note_page(log, {number, static_cast<size_t>(page)});
        return true;
    };
    size_t number = 0;
    for (const Allocation& a : memory.allocations)
        if (note(number++, a)) return;
    if (memory.heap != nullptr) note(number, memory.heap->arena);
}

bool was_told_all(const TurnLog& log, GlobalMemory& memory) {
    const std::vector<std::vector<std::byte>*> all = memory_of(memory);
    for (size_t k = 0; k < all.size(); ++k)
        if (log.seen[k] != *all[k]) return false;
    return true;
}

void apply(const TurnStart& turn, GlobalMemory& memory) {
    const std::vector<std::vector<std::byte>*> all = memory_of(memory);
    for (const Piece& piece : turn.pieces)
        std::memcpy(all[piece.memory]->data() + piece.offset, piece.bytes.data(), piece.bytes.size());
    if (memory.heap == nullptr) return;
    memory.heap->pieces = turn.heap_pieces;
    memory.heap->next = turn.heap_next;
}

}  // namespace wl::emulator
