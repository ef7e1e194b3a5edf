// Fills by kind, and conversion of arrays that were read.
#include "instrumentation/manifest/fill.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/stop.h"
#include "instrumentation/base/shape_text.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <numeric>
#include <string_view>
#include <utility>

namespace wl::manifest {
namespace {

// How its parameters are written, if it takes some, and what stands for them where none are given.
struct KindEntry {
    std::string_view name;
    Fill::Kind kind;
    std::string_view parameters, defaults;
};
constexpr std::array kKinds = {
    KindEntry{"normal",      Fill::Kind::normal,      "mean, deviation", "0, 1"},
    KindEntry{"uniform",     Fill::Kind::uniform,     "low, high",       "0, 1"},
    KindEntry{"random",      Fill::Kind::random,      "",                ""    },
    KindEntry{"zeros",       Fill::Kind::zeros,       "",                ""    },
    KindEntry{"ones",        Fill::Kind::ones,        "",                ""    },
    KindEntry{"coordinates", Fill::Kind::coordinates, "",                ""    },
    KindEntry{"one-hot",     Fill::Kind::one_hot,     "",                ""    },
    KindEntry{"identity",    Fill::Kind::identity,    "",                ""    },
    KindEntry{"permutation", Fill::Kind::permutation, "",                ""    },
    KindEntry{"arange",      Fill::Kind::arange,      "start, step",     "0, 1"},
    KindEntry{"full",        Fill::Kind::full,        "value",           ""    },
    KindEntry{"offsets",     Fill::Kind::offsets,     "total",           ""    },
};

uint64_t mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

struct Stream {
    uint64_t start;

    Stream(uint64_t seed, std::string_view name) {
        uint64_t hash = 0xcbf29ce484222325u;
        for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
        start = mixed(hash ^ mixed(seed));
    }
    uint64_t bits(uint64_t counter) const { return mixed(start + (counter + 1) * 0x9e3779b97f4a7c15u); }
    double unit(uint64_t counter) const {
        return static_cast<double>(bits(counter) >> 11) * 0x1p-53;
    }  // [0, 1)
};

int64_t columns(const Tensor& t) { return t.shape.empty() ? 1 : t.shape.back(); }
int64_t rows(const Tensor& t) { return t.shape.size() < 2 ? 1 : t.shape[t.shape.size() - 2]; }

void put(Tensor& t, int64_t i, double value) {
    from_double(t.dtype, value, t.bytes.data() + static_cast<size_t>(i) * size_of(t.dtype));
}

template <class Value>
void each(Tensor& t, const Value& value) {
    const int64_t n = elements(t.shape);
    for (int64_t i = 0; i < n; ++i) {
        check_stop();
        put(t, i, value(i));
    }
}

// Elements 2j and 2j+1 share the counters 2j and 2j+1 (Box and Muller 1958).
void fill_normal(Tensor& t, const Stream& stream, double mean, double deviation) {
    const int64_t n = elements(t.shape);
    for (int64_t i = 0; i < n; i += 2) {
        check_stop();
        const auto counter = static_cast<uint64_t>(i);
        const double radius = std::sqrt(-2 * std::log(1 - stream.unit(counter)));  // 1 - u > 0
        const double angle = 2 * std::numbers::pi * stream.unit(counter + 1);
        put(t, i, mean + deviation * radius * std::cos(angle));
        if (i + 1 < n) put(t, i + 1, mean + deviation * radius * std::sin(angle));
    }
}

void fill_uniform(Tensor& t, const Stream& stream, double low, double high) {
    const bool real = is_float(t.dtype);
    each(t, [&](int64_t i) {
        const double u = stream.unit(static_cast<uint64_t>(i));
        return real ? low + (high - low) * u : std::floor(low + (high - low + 1) * u);
    });
}

// Of integers each byte is drawn.
void fill_random(Tensor& t, const Stream& stream) {
    if (is_float(t.dtype)) return fill_normal(t, stream, 0, 1);
    for (size_t i = 0; i < t.bytes.size(); ++i) t.bytes[i] = static_cast<std::byte>(stream.bits(i));
}

// A permutation of 0 to columns - 1 in each row, by the order of as many drawn numbers.
void fill_permutation(Tensor& t, const Stream& stream) {
    const int64_t cols = columns(t);
    std::vector<int64_t> order(static_cast<size_t>(cols));
    for (int64_t first = 0; first < elements(t.shape); first += cols) {
        check_stop();
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
            return std::pair(stream.bits(static_cast<uint64_t>(first + a)), a) <
                std::pair(stream.bits(static_cast<uint64_t>(first + b)), b);
        });
        for (int64_t i = 0; i < cols; ++i)
            put(t, first + i, static_cast<double>(order[static_cast<size_t>(i)]));
    }
}

// Where ragged rows begin: 0, whole numbers that never fall, and the total last.
void fill_offsets(Tensor& t, const Stream& stream, double total) {
    const int64_t n = elements(t.shape);
    std::vector<double> starts(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
        starts[static_cast<size_t>(i)] = std::floor((total + 1) * stream.unit(static_cast<uint64_t>(i)));
    if (n > 0) starts.back() = total;
    if (n > 1) starts.front() = 0;
    std::sort(starts.begin(), starts.end());
    each(t, [&](int64_t i) { return starts[static_cast<size_t>(i)]; });
}

bool carries(DType carrier, DType t) {
    return (carrier == DType::u16 && t == DType::bf16) ||
        (carrier == DType::u8 && (t == DType::e4m3 || t == DType::e5m2));
}

std::string_view trimmed(std::string_view s) {
    const size_t first = s.find_first_not_of(' '), last = s.find_last_not_of(' ');
    return first == s.npos ? std::string_view() : s.substr(first, last - first + 1);
}

// "0, 1/sqrt(D)" by the commas outside parentheses.
std::vector<std::string> split_arguments(std::string_view text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

std::vector<std::string> names() {
    std::vector<std::string> all;
    all.reserve(kKinds.size());
    for (const KindEntry& kind : kKinds) all.emplace_back(kind.name);
    return all;
}

const KindEntry& kind_of(
    const std::string& name,
    const std::string& text,
    const std::string& where,
    const std::vector<std::string>& besides
) {
    const auto* entry =
        std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& k) { return k.name == name; });
    if (entry != kKinds.end()) return *entry;
    std::vector<std::string> known = names();
    known.insert(known.end(), besides.begin(), besides.end());
    const std::string nearest = nearest_word(name, known);
    throw Error(fmt::format(
        "{}: unknown fill \"{}\"; {}",
        where,
        text,
        nearest.empty() ? "known are " + join(known, ", ") + " and a file.npy."
                        : "did you mean \"" + nearest + "\"?"
    ));
}

}  // namespace

std::vector<std::string> plain_fills() {
    std::vector<std::string> plain;
    for (const KindEntry& kind : kKinds)
        if (kind.parameters.empty() || !kind.defaults.empty()) plain.emplace_back(kind.name);
    return plain;
}

Fill parse_fill(const std::string& text, const std::string& where, const std::vector<std::string>& besides) {
    if (text.ends_with(".npy")) return {Fill::Kind::file, {}, text};
    const size_t open = std::min(text.find('('), text.size());
    const KindEntry& entry =
        kind_of(std::string(trimmed(std::string_view(text).substr(0, open))), text, where, besides);
    std::string_view given = entry.defaults;
    if (open != text.size()) {
        const std::string_view rest = trimmed(std::string_view(text).substr(open));
        given = rest.ends_with(')') ? rest.substr(1, rest.size() - 2) : "";
    }
    Fill fill{entry.kind, given.empty() ? std::vector<std::string>() : split_arguments(given), {}};
    const bool plain = open == text.size() && entry.parameters.empty();
    if (!plain &&
        (entry.parameters.empty() || fill.parameters.size() != split_arguments(entry.parameters).size()))
        throw Error(fmt::format(
            "{}: \"{}\" is no fill; {}",
            where,
            text,
            entry.parameters.empty() ? fmt::format("{} takes no parameters.", entry.name)
                                     : fmt::format("write {}({}).", entry.name, entry.parameters)
        ));
    return fill;
}

void fill_tensor(Tensor& tensor, const Fill& fill, const std::vector<double>& parameters, uint64_t seed) {
    assert(fill.kind != Fill::Kind::file && parameters.size() == fill.parameters.size());
    const Stream stream(seed, tensor.name);
    const int64_t cols = columns(tensor), row_count = rows(tensor);
    switch (fill.kind) {
        case Fill::Kind::normal: fill_normal(tensor, stream, parameters[0], parameters[1]); break;
        case Fill::Kind::uniform: fill_uniform(tensor, stream, parameters[0], parameters[1]); break;
        case Fill::Kind::random: fill_random(tensor, stream); break;
        case Fill::Kind::ones: each(tensor, [](int64_t) { return 1.0; }); break;
        case Fill::Kind::coordinates: {
            const auto period = static_cast<int64_t>(coordinate_period(tensor.dtype));
            each(tensor, [=](int64_t i) { return static_cast<double>(i % period); });
            break;
        }
        case Fill::Kind::one_hot:
            each(tensor, [&](int64_t i) {
                const uint64_t hot =
                    stream.bits(static_cast<uint64_t>(i / cols)) % static_cast<uint64_t>(cols);
                return static_cast<uint64_t>(i % cols) == hot ? 1.0 : 0.0;
            });
            break;
        case Fill::Kind::identity:
            each(tensor, [=](int64_t i) { return i / cols % row_count == i % cols ? 1.0 : 0.0; });
            break;
        case Fill::Kind::permutation: fill_permutation(tensor, stream); break;
        case Fill::Kind::arange:
            each(tensor, [&](int64_t i) { return parameters[0] + parameters[1] * static_cast<double>(i); });
            break;
        case Fill::Kind::full: each(tensor, [&](int64_t) { return parameters[0]; }); break;
        case Fill::Kind::offsets: fill_offsets(tensor, stream, parameters[0]); break;
        default: each(tensor, [](int64_t) { return 0.0; });
    }
}

uint64_t coordinate_period(DType t) {
    if (is_float(t)) return static_cast<uint64_t>(1 / unit_roundoff(t));  // 2^(significand bits)
    switch (t) {
        case DType::s8: return 128;
        case DType::u8: return 256;
        case DType::s16: return 32768;
        case DType::u16: return 65536;
        case DType::s32: return uint64_t{1} << 31;
        case DType::u32: return uint64_t{1} << 32;
        default: return uint64_t{1} << 53;
    }
}

void poison(Tensor& tensor) { std::fill(tensor.bytes.begin(), tensor.bytes.end(), std::byte{0xff}); }

void convert(const Tensor& from, Tensor& to, const std::string& where) {
    if (from.shape != to.shape)
        throw Error(fmt::format(
            "{}: the array \"{}\" has the shape {}, the argument {} has {}.",
            where,
            from.name,
            shape_text(from.shape),
            to.name,
            shape_text(to.shape)
        ));
    if (from.dtype == to.dtype || carries(from.dtype, to.dtype))
        to.bytes = from.bytes;
    else
        each(to, [&](int64_t i) { return at(from, i); });
}

}  // namespace wl::manifest
