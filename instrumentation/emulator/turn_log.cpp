// Comparing memory between turns, page by page.
#include "instrumentation/emulator/turn_log.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace wl::emulator {
namespace {

constexpr size_t kCompared = 4096;  // bytes at a time

// From the first to the last byte that differs within each page.
void add_changes(TurnLog& log, TurnStart& turn, size_t memory, const std::vector<std::byte>& now) {
    const std::vector<std::byte>& before = log.seen[memory];
    for (size_t at = 0; at < now.size(); at += kCompared) {
        const size_t end = std::min(at + kCompared, now.size());
        if (std::memcmp(before.data() + at, now.data() + at, end - at) == 0) continue;
        size_t first = at, last = end;
        while (before[first] == now[first]) ++first;
        while (before[last - 1] == now[last - 1]) --last;
        log.bytes += sizeof(Piece) + last - first;
        const auto begin = now.begin() + static_cast<std::ptrdiff_t>(first);
        turn.pieces.push_back({
            memory, first, {begin, now.begin() + static_cast<std::ptrdiff_t>(last)}
        });
    }
}

}  // namespace

std::vector<std::vector<std::byte>*> memory_of(GlobalMemory& memory) {
    std::vector<std::vector<std::byte>*> all;
    for (Allocation& a : memory.allocations) all.push_back(&a.bytes);
    if (memory.heap != nullptr) all.push_back(&memory.heap->arena.bytes);
    return all;
}

void start(TurnLog& log, GlobalMemory& memory) {
    for (const std::vector<std::byte>* bytes : memory_of(memory)) log.seen.push_back(*bytes);
}

void turn_begins(TurnLog& log, GlobalMemory& memory, TurnKind kind) {
    if (log.full) return;
    TurnStart turn;
    turn.kind = kind;
    turn.diverged = std::exchange(log.diverged, false);
    const std::vector<std::vector<std::byte>*> all = memory_of(memory);
    assert(all.size() == log.seen.size());
    for (size_t k = 0; k < all.size(); ++k) add_changes(log, turn, k, *all[k]);
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
    for (size_t k = 0; k < all.size(); ++k)
        for (size_t at = 0; at < all[k]->size(); at += kCompared) {
            const size_t bytes = std::min(kCompared, all[k]->size() - at);
            std::byte* seen = log.seen[k].data() + at;
            if (std::memcmp(seen, all[k]->data() + at, bytes) != 0)
                std::memcpy(seen, all[k]->data() + at, bytes);
        }
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
