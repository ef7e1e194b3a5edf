// Breadth first, each allocation once.
#include "instrumentation/recorder/reach.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace wl::recorder {
namespace {

// Device addresses are of 49 bits (Hopper), and above 4 GiB wherever the host's own are.
constexpr uint64_t kLowest = uint64_t{1} << 32, kHighest = uint64_t{1} << 49;
constexpr uint64_t kAlign = 256;  // of what is kept of an allocation that is not kept whole
constexpr uint64_t kMostQuestions =
    1'000'000;  // each under a microsecond: arrays of numbers look like addresses

std::string hexadecimal(uint64_t n) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string out;
    for (; n != 0 || out.empty(); n >>= 4) out += kDigits[n & 15];
    return "0x" + std::string(out.rbegin(), out.rend());
}

bool is_reached(const Reach& reach, uint64_t address) {
    return std::any_of(reach.all.begin(), reach.all.end(), [&](const Reached& r) {
        return address - r.range.base < r.range.bytes;
    });
}

// What of it is kept: all, or as much as there is room for.
Range part_of(const Range& whole, uint64_t address, uint64_t room) {
    if (whole.bytes <= room) return whole;
    const uint64_t first = std::max(whole.base, address / kAlign * kAlign);
    return {first, std::min(room, whole.base + whole.bytes - first)};
}

// Keeps the allocation that holds the address, if there is one; its place among all.
std::optional<size_t> keep(Reach& reach, uint64_t address, const Memories& memories) {
    if (is_reached(reach, address) || reach.asked >= kMostQuestions) return std::nullopt;
    if (++reach.asked == kMostQuestions)
        reach.notes.emplace_back(
            "memory holds too many words that look like addresses: not all of them were followed"
        );
    const std::optional<Range> whole = memories.find(address);
    if (!whole) return std::nullopt;
    const Range part = part_of(*whole, address, memories.limit - std::min(memories.limit, reach.kept));
    if (part != *whole)
        reach.notes.push_back(
            "of " + std::to_string(whole->bytes) + " bytes at " + hexadecimal(whole->base) + " " +
            (part.bytes == 0
                 ? "nothing was kept"
                 : std::to_string(part.bytes) + " from " + hexadecimal(part.base) + " were kept") +
            ": --limit allows no more"
        );
    if (part.bytes == 0) return std::nullopt;
    std::vector<std::byte> bytes = memories.read(part);
    if (bytes.size() != part.bytes) {
        reach.notes.push_back(
            std::to_string(part.bytes) + " bytes at " + hexadecimal(part.base) + " could not be read"
        );
        return std::nullopt;
    }
    reach.kept += part.bytes;
    reach.all.push_back({part, std::move(bytes)});
    return reach.all.size() - 1;
}

}  // namespace

void follow(Reach& reach, uint64_t base, std::span<const std::byte> from, const Memories& memories) {
    std::deque<size_t> next;
    uint64_t before = 0;
    // Pointers are aligned in memory, wherever what was kept of it begins.
    const auto scan = [&](uint64_t begin, std::span<const std::byte> bytes) {
        for (size_t at = (0 - begin) % sizeof(uint64_t); at + sizeof(uint64_t) <= bytes.size();
             at += sizeof(uint64_t)) {
            uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at, sizeof word);
            if (word < kLowest || word >= kHighest || word == before) continue;
            before = word;
            if (const std::optional<size_t> found = keep(reach, word, memories)) next.push_back(*found);
        }
    };
    scan(base, from);
    for (; !next.empty(); next.pop_front()) {
        const std::span<const std::byte> bytes = reach.all[next.front()].bytes;
        scan(reach.all[next.front()].range.base, bytes);
    }
}

}  // namespace wl::recorder
