// The heap of kernels. Models: CUDA's 8 MiB, its alignment of 16 bytes and nullptr when it is full. Not
// modelled: the room that CUDA's own bookkeeping takes.
#include "instrumentation/emulator/memory/heap.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::emulator {
namespace {

constexpr uint64_t kAlign = 16;

// Forgets the freed pieces that [begin, end) takes room from.
void forget(Heap& heap, uint64_t begin, uint64_t end) {
    auto piece = heap.pieces.lower_bound(begin);
    if (piece != heap.pieces.begin() && std::prev(piece)->first + room_of(std::prev(piece)->second) > begin)
        --piece;
    while (piece != heap.pieces.end() && piece->first < end) piece = heap.pieces.erase(piece);
}

// The first gap of so much room at `from` or behind it that holds no live piece.
std::optional<uint64_t> gap(const Heap& heap, uint64_t from, uint64_t room) {
    uint64_t at = from;
    auto piece = heap.pieces.upper_bound(from);
    if (piece != heap.pieces.begin()) --piece;
    for (; piece != heap.pieces.end() && piece->first < at + room; ++piece) {
        const uint64_t end = piece->first + room_of(piece->second);
        if (piece->second.live && end > at) at = end;
    }
    return room <= kHeapBytes && at <= kHeapBytes - room ? std::optional(at) : std::nullopt;
}

}  // namespace

uint64_t room_of(const HeapPiece& piece) {
    return (std::max<uint64_t>(piece.bytes, 1) + kAlign - 1) / kAlign * kAlign;
}

void make_heap(GlobalMemory& memory) {
    if (memory.heap != nullptr) return;
    memory.heap = std::make_shared<Heap>();
    memory.heap->arena.name = "heap";
    memory.heap->arena.base = kHeapBase;
    memory.heap->arena.bytes.resize(kHeapBytes);
    memory.heap->arena.written.resize(kHeapBytes);
}

uint64_t take(Heap& heap, uint64_t bytes) {
    if (bytes > kHeapBytes) return 0;
    const std::scoped_lock lock(heap.lock);
    const uint64_t room = room_of({bytes});
    auto at = gap(heap, heap.next, room);
    if (!at) at = gap(heap, 0, room);
    if (!at) return 0;
    forget(heap, *at, *at + room);
    heap.pieces[*at] = {bytes, true};
    heap.next = *at + room;
    std::fill_n(heap.arena.written.begin() + static_cast<std::ptrdiff_t>(*at), room, uint8_t{0});
    return kHeapBase + *at;
}

std::string give_back(Heap& heap, uint64_t address) {
    if (address == 0) return {};
    const std::scoped_lock lock(heap.lock);
    const auto piece = heap.pieces.find(address - kHeapBase);
    if (piece == heap.pieces.end()) return fmt::format("free of {:#x}, which malloc did not give", address);
    if (!piece->second.live)
        return fmt::format("free of {:#x}, whose {} bytes are freed already", address, piece->second.bytes);
    piece->second.live = false;
    return {};
}

std::optional<uint64_t> find(Heap& heap, uint64_t address, uint64_t bytes) {
    const uint64_t offset = address - kHeapBase;
    if (offset >= kHeapBytes) return {};
    const std::scoped_lock lock(heap.lock);
    auto piece = heap.pieces.upper_bound(offset);
    if (piece == heap.pieces.begin()) return {};
    --piece;
    const uint64_t into = offset - piece->first;
    if (!piece->second.live || into > piece->second.bytes || bytes > piece->second.bytes - into) return {};
    return offset;
}

std::string describe(Heap& heap, uint64_t address) {
    const uint64_t offset = address - kHeapBase;
    if (offset >= kHeapBytes) return {};
    const std::scoped_lock lock(heap.lock);
    auto piece = heap.pieces.upper_bound(offset);
    if (piece == heap.pieces.begin()) return "heap, before all that malloc gave";
    --piece;
    const uint64_t into = offset - piece->first;
    const char* state = piece->second.live ? "that malloc gave" : "that were freed";
    return into < piece->second.bytes
        ? fmt::format("heap, byte {} of {} bytes {}", into, piece->second.bytes, state)
        : fmt::format(
              "heap, {} bytes past {} bytes {}", into - piece->second.bytes, piece->second.bytes, state
          );
}

}  // namespace wl::emulator
