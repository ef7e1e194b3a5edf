// Sequences of literals and matches.
#include "instrumentation/compile/lz4.h"

#include <cstdint>

namespace wl::compile {
namespace {

// What is left of a block; `broken` once it was asked for more than it holds.
struct Input {
    std::span<const std::byte> left;
    bool broken = false;
};

size_t take(Input& in) {
    if (in.left.empty()) {
        in.broken = true;
        return 0;
    }
    const auto byte = static_cast<size_t>(in.left.front());
    in.left = in.left.subspan(1);
    return byte;
}

// A length of 15 goes on in bytes of 255 and a last one below.
size_t length(Input& in, size_t nibble) {
    size_t all = nibble;
    if (nibble != 15) return all;
    for (size_t more = 255; more == 255 && !in.broken;) all += more = take(in);
    return all;
}

}  // namespace

std::optional<std::string> expand_lz4(std::span<const std::byte> block, size_t bytes) {
    constexpr size_t kLeastMatch = 4;
    Input in{block};
    std::string out;
    out.reserve(bytes);
    while (!in.left.empty() && out.size() < bytes) {
        const size_t token = take(in);
        const size_t literals = length(in, token >> 4);
        if (in.broken || literals > in.left.size() || literals > bytes - out.size()) return std::nullopt;
        out.append(reinterpret_cast<const char*>(in.left.data()), literals);
        in.left = in.left.subspan(literals);
        if (in.left.empty()) break;  // the last sequence has no match
        const size_t low = take(in);
        const size_t back = low | take(in) << 8;
        const size_t match = length(in, token & 15) + kLeastMatch;
        if (in.broken || back == 0 || back > out.size() || match > bytes - out.size()) return std::nullopt;
        for (size_t k = 0; k < match; ++k) out += out[out.size() - back];
    }
    if (out.size() != bytes) return std::nullopt;
    return out;
}

}  // namespace wl::compile
