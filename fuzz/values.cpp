#include "fuzz/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

namespace wl::fuzz {
namespace {

constexpr std::array<int64_t, 34> kIntegers = {
    0,
    1,
    -1,
    2,
    3,
    7,
    8,
    9,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    1023,
    1024,
    1025,
    4096,
    65535,
    65536,
    1 << 20,
    std::numeric_limits<int32_t>::max(),
    std::numeric_limits<int32_t>::min(),
    int64_t{1} << 31,
    (int64_t{1} << 32) - 1,
    int64_t{1} << 32,
    int64_t{1} << 40,
    int64_t{1} << 62,
    std::numeric_limits<int64_t>::max(),
    std::numeric_limits<int64_t>::min(),
};

constexpr std::array<double, 14> kReals = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    1e-310,
    1e308,
    -1e308,
    1e19,
    0x1p63,
    0x1p31,
    std::numeric_limits<double>::infinity(),
    -std::numeric_limits<double>::infinity(),
    std::numeric_limits<double>::min(),
};

constexpr std::array<std::string_view, 44> kTexts = {
    "",
    " ",
    "0",
    "-1",
    "1e999",
    "nan",
    "0x",
    "[]",
    "[0, 0, 0]",
    "[1, 1, 1]",
    "[2147483647, 65535, 65535]",
    "[4294967295, 4294967295, 4294967295]",
    "[9223372036854775807, 9223372036854775807]",
    "[-1]",
    "../../../../etc/passwd",
    "/dev/zero",
    "/proc/self/mem",
    "file:///etc/passwd",
    "~root",
    "a\nb",
    "\r\n::error file=x::y",
    "::set-output name=x::y",
    "$(touch /tmp/warplens-fuzz)",
    "`touch /tmp/warplens-fuzz`",
    "'; touch /tmp/warplens-fuzz; '",
    "\"><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "]]>&lt;&#0;",
    "javascript:alert(1)",
    "{}{0}{:d}",
    "%s%n%d",
    "\x1b[2J\x1b]0;title\x07",
    "\x1b]8;;http://example.org\x1b\\x\x1b]8;;\x1b\\",
    "\xff\xfe",
    "\xc0\xaf",
    "\xed\xa0\x80",
    "\xf4\x90\x80\x80",
    "\xe2\x80\xae"  // NOLINT(misc-misleading-bidirectional): as a file may hold it
    "right to left",
    "\xe2\x80\xa8",
    "tile",
    "bad",
    "emulator",
    "nan-padding",
    "f16",
};

std::string repeated(Random& random) {
    constexpr std::array<std::string_view, 8> kPieces = {"A", "[", "(", "\n", "<", "\xce\xb1", "1,", "{.b"};
    constexpr std::array<size_t, 4> kTimes = {100, 1000, 20'000, 200'000};
    const std::string_view piece = one_of(random, kPieces);
    std::string text;
    for (size_t times = one_of(random, kTimes); times > 0; --times) text += piece;
    return text;
}

std::string spliced(Random& random, std::string bytes) {
    if (bytes.empty()) return bytes;
    const size_t from = below(random, bytes.size());
    const size_t length = 1 + below(random, std::min<size_t>(bytes.size() - from, 5000));
    const std::string piece = bytes.substr(from, length);
    const size_t to = below(random, bytes.size());
    switch (random() % 4) {
        case 0: return bytes.erase(from, length);
        case 1: return bytes.insert(to, piece);
        case 2: return bytes.replace(to, std::min(length, bytes.size() - to), piece);
        default: return bytes.replace(from, length, std::string(length, random() % 2 == 0 ? '\0' : '\xff'));
    }
}

// As a word of 1, 2, 4 or 8 bytes, in either order of bytes.
std::string overwritten(Random& random, std::string bytes) {
    const size_t size = size_t{1} << random() % 4;
    if (bytes.size() < size) return bytes;
    const int64_t value = edge_integer(random);
    std::array<char, sizeof value> word{};
    std::memcpy(word.data(), &value, sizeof value);
    if (random() % 2 == 0) std::reverse(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(size));
    // Half of them in the first page, where headers are.
    const size_t places = bytes.size() - size + 1;
    const size_t at = below(random, random() % 2 == 0 ? std::min<size_t>(places, 4096) : places);
    std::copy_n(word.begin(), size, bytes.begin() + static_cast<std::ptrdiff_t>(at));
    return bytes;
}

}  // namespace

int64_t edge_integer(Random& random) {
    const int64_t value = one_of(random, kIntegers);
    return random() % 8 == 0 ? static_cast<int64_t>(random()) : value;
}

int64_t changed(Random& random, int64_t value) {
    const auto bits = static_cast<uint64_t>(value);
    switch (random() % 8) {
        case 0: return static_cast<int64_t>(bits + 1);
        case 1: return static_cast<int64_t>(bits - 1);
        case 2: return static_cast<int64_t>(bits * 2);
        case 3: return static_cast<int64_t>(0 - bits);
        case 4: return static_cast<int64_t>(bits ^ (uint64_t{1} << random() % 64));
        default: return edge_integer(random);
    }
}

double changed(Random& random, double value) {
    switch (random() % 4) {
        case 0: return -value;
        case 1: return value * 1.5;
        default: return one_of(random, kReals);
    }
}

std::string hostile_text(Random& random) {
    if (random() % 12 == 0) return repeated(random);
    std::string text(one_of(random, kTexts));
    if (random() % 16 == 0) text.insert(below(random, text.size() + 1), 1, '\0');
    return text;
}

std::string changed_text(Random& random, std::string text) {
    switch (random() % 6) {
        case 0: return text.substr(0, below(random, text.size() + 1));
        case 1: return text.insert(below(random, text.size() + 1), hostile_text(random));
        case 2: return changed_bytes(random, text);
        case 3: return text + text;
        default: return hostile_text(random);
    }
}

std::string changed_bytes(Random& random, std::string bytes) {
    for (size_t changes = 1 + random() % 4; changes > 0; --changes) {
        switch (random() % 5) {
            case 0: bytes = spliced(random, std::move(bytes)); break;
            case 1: bytes = overwritten(random, std::move(bytes)); break;
            case 2:
                if (random() % 4 == 0) bytes.resize(below(random, bytes.size() + 1));
                [[fallthrough]];
            default:
                if (!bytes.empty()) one_of(random, bytes) ^= static_cast<char>(1U << random() % 8);
        }
    }
    return bytes;
}

}  // namespace wl::fuzz
