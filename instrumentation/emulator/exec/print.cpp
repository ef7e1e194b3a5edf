// Models vprintf and __assertfail as CUDA's printf and assert call them (CUDA C++ Programming Guide 13.0,
// formatted output, assertion). Not modelled: %n, and the order of blocks on a GPU: text comes by block here.
#include "instrumentation/base/os/stop.h"
#include "instrumentation/emulator/exec/builtins.h"
#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/observe/incidents.h"
#include "instrumentation/emulator/schedule/printed.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace wl::emulator {
namespace {

constexpr size_t kLongestText = 4096;  // of one string that a kernel points to
constexpr int kWidest = 1024;          // field

// A string in the kernel's memory, up to its end or to what cannot be read, which is noted.
std::string text_at(Warp& w, const Instr* call, int lane, uint64_t address) {
    std::string text;
    if (address == 0) return "(null)";
    for (size_t k = 0; k < kLongestText; ++k) {
        const auto place = resolve(w, call, {ptx::Space::generic, lane, address + k, 1, false});
        if (!place || *place->data == std::byte{0}) break;
        text += static_cast<char>(*place->data);
    }
    return text;
}

// Arguments as a variadic call lays them out: one behind the other, each aligned to its size.
struct Arguments {
    Warp& w;
    const Instr* call;
    int lane;
    uint64_t at;
    int used = 0;
};
uint64_t next_argument(Arguments& a, uint32_t bytes) {
    a.at = (a.at + bytes - 1) / bytes * bytes;
    const auto place = resolve(a.w, a.call, {ptx::Space::generic, a.lane, a.at, bytes, false});
    uint64_t value = 0;
    if (place) std::memcpy(&value, place->data, bytes);
    a.at += bytes;
    ++a.used;
    return value;
}

struct Conversion {
    std::string flags;
    int width = -1, precision = -1;  // -1: none
    bool is_long = false;            // 8 bytes
    char kind = 0;                   // 0: the format ends within it
};

int number_at(Arguments& a, const std::string& format, size_t& k) {
    if (k < format.size() && format[k] == '*') {
        ++k;
        return std::clamp(static_cast<int>(static_cast<int32_t>(next_argument(a, 4))), -kWidest, kWidest);
    }
    int number = 0;
    for (; k < format.size() && format[k] >= '0' && format[k] <= '9'; ++k)
        number = std::min(number * 10 + (format[k] - '0'), kWidest);
    return number;
}

// Behind the '%'.
Conversion conversion_at(Arguments& a, const std::string& format, size_t& k) {
    Conversion c;
    for (; k < format.size() && std::strchr("-+ #0", format[k]) != nullptr; ++k) c.flags += format[k];
    if (k < format.size() && (format[k] == '*' || (format[k] >= '1' && format[k] <= '9')))
        c.width = number_at(a, format, k);
    if (c.width < -1) {
        c.flags += '-';
        c.width = -c.width;
    }
    if (k < format.size() && format[k] == '.') c.precision = std::max(number_at(a, format, ++k), 0);
    int longs = 0;
    for (; k < format.size() && std::strchr("hlLjzt", format[k]) != nullptr; ++k)
        longs += format[k] != 'h' && format[k] != 'L';
    c.is_long = longs > 0;
    if (k < format.size()) c.kind = format[k++];
    return c;
}

// The conversion applied to one value; its type is what `suffix` says.
template <class T>
std::string put(const Conversion& c, const char* suffix, T value) {
    const std::string width = c.width >= 0 ? std::to_string(c.width) : "";
    const std::string precision = c.precision >= 0 ? "." + std::to_string(c.precision) : "";
    const std::string format = "%" + c.flags + width + precision + suffix;
    std::string text(
        static_cast<size_t>(std::max(std::snprintf(nullptr, 0, format.c_str(), value), 0)), '\0'
    );
    std::snprintf(text.data(), text.size() + 1, format.c_str(), value);
    return text;
}

std::string converted(Arguments& a, const Conversion& c) {
    const std::string integer = std::string("ll") + c.kind;
    switch (c.kind) {
        case 'd':
        case 'i': {
            const uint64_t v = next_argument(a, c.is_long ? 8 : 4);
            const int64_t value =
                c.is_long ? static_cast<int64_t>(v) : static_cast<int32_t>(static_cast<uint32_t>(v));
            return put(c, integer.c_str(), static_cast<long long>(value));
        }
        case 'u':
        case 'x':
        case 'X':
        case 'o':
            return put(
                c, integer.c_str(), static_cast<unsigned long long>(next_argument(a, c.is_long ? 8 : 4))
            );
        case 'c': return put(c, "c", static_cast<int>(next_argument(a, 4)));
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G':
        case 'a':
        case 'A': return put(c, std::string(1, c.kind).c_str(), std::bit_cast<double>(next_argument(a, 8)));
        case 's': return put(c, "s", text_at(a.w, a.call, a.lane, next_argument(a, 8)).c_str());
        case 'p': return fmt::format("{:#x}", next_argument(a, 8));
        default: return {};
    }
}

std::string formatted(Arguments& a, const std::string& format) {
    std::string text;
    for (size_t k = 0; k < format.size();) {
        if (format[k] != '%') {
            text += format[k++];
            continue;
        }
        const size_t begin = k++;
        if (k < format.size() && format[k] == '%') {
            text += format[k++];
            continue;
        }
        const Conversion c = conversion_at(a, format, k);
        const bool known = c.kind != 0 && std::strchr("diuxXoceEfFgGaAsp", c.kind) != nullptr;
        text += known ? converted(a, c) : format.substr(begin, k - begin);
    }
    return text;
}

const Instr* exec_vprintf(Warp& w, const Instr* i) {
    Block& block = *w.block;
    for (uint32_t rest = w.mask; rest != 0; rest &= rest - 1) {
        check_stop();  // a text is as long as the kernel says, and takes as long as many instructions
        const int lane = first_lane(rest);
        const uint64_t format = argument(w, i, 0, lane);
        if (format == 0) {
            set_result(w, i, lane, static_cast<uint32_t>(-1));
            continue;
        }
        Arguments arguments{w, i, lane, argument(w, i, 1, lane)};
        std::string text = formatted(arguments, text_at(w, i, lane, format));
        set_result(w, i, lane, static_cast<uint64_t>(arguments.used));
        if (!block.now.observed) continue;
        const bool room = block.now.printed_bytes < kPrintedBytes;
        block.now.printed_bytes += text.size();
        if (!room) text.clear();
        const auto thread = static_cast<uint32_t>(w.index * kLanes + lane);
        if (room)
            block.seen.printed.push_back({block.now.index, thread, std::move(text), 0});
        else
            ++block.seen.printed.back().lost;
    }
    return i + 1;
}

// __assertfail(message, file, line, function, bytes of a character).
const Instr* exec_assertfail(Warp& w, const Instr* i) {
    const int lane = first_lane(w.mask);
    Incident incident;
    incident.kind = Incident::Kind::assertion;
    incident.first = witness(w, i, w.mask);
    incident.detail = fmt::format(
        "{}:{}: {}: thread {}: assertion `{}` failed",
        text_at(w, i, lane, argument(w, i, 1, lane)),
        argument(w, i, 2, lane),
        text_at(w, i, lane, argument(w, i, 3, lane)),
        w.index * kLanes + lane,
        text_at(w, i, lane, argument(w, i, 0, lane))
    );
    return give_up(w, i, std::move(incident));
}

}  // namespace

Exec builtin_vprintf() { return exec_vprintf; }
Exec builtin_assertfail() { return exec_assertfail; }

}  // namespace wl::emulator
