#include "shim/cuda/argument_sizes.h"

#include "instrumentation/runtime/host_access.h"
#include "instrumentation/runtime/module.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace wl::cuda {
namespace {

// Numbers as programs pass them, and those that no arithmetic is meant to see.
constexpr double kLeast = 1e-9, kMost = 1e9;
constexpr double kTinyFloat = 1e-18, kHugeFloat = 1e18, kTiny = 1e-300, kHuge = 1e300;

bool is_usual(double x) { return std::fabs(x) >= kLeast && std::fabs(x) <= kMost; }

template <class T>
T read(const void* from) {
    T value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

uintptr_t place(const void* p) { return reinterpret_cast<uintptr_t>(p); }

// The argument that begins inside the bytes of another; -1: none does.
int argument_within(const std::vector<void*>& given, size_t p, size_t bytes) {
    for (size_t q = 0; q < given.size(); ++q)
        if (place(given[q]) > place(given[p]) && place(given[q]) - place(given[p]) < bytes)
            return static_cast<int>(q);
    return -1;
}

std::string overlap_text(const Arguments& a, size_t p, size_t bytes, int other) {
    return fmt::format(
        "parameter {} of {} takes {} bytes, and argument {} begins {} bytes after its address: the argument "
        "is "
        "smaller than the parameter",
        p,
        a.kernel,
        bytes,
        other,
        place(a.given[static_cast<size_t>(other)]) - place(a.given[p])
    );
}

// A double for a float: the low half is no number that anybody passes, and the whole is one.
std::string double_for_float(const Arguments& a, size_t p, const std::byte* taken) {
    const double value = read<float>(taken);
    const bool plausible = std::fabs(value) >= kTinyFloat && std::fabs(value) <= kHugeFloat;
    double whole = 0;
    if (plausible || argument_within(a.given, p, sizeof whole) >= 0 ||
        !runtime::read_host(&whole, a.given[p], sizeof whole) || !is_usual(whole))
        return {};
    return fmt::format(
        "parameter {} of {} is a float of 4 bytes and gets {:g}, but the 8 bytes that the launch points at "
        "are the "
        "double {:g}: an argument of 8 bytes, it seems; pass a float (of Python: numpy.float32)",
        p,
        a.kernel,
        value,
        whole
    );
}

// A float for a double: the whole is beyond all that is computed with, and its low half is a usual number.
std::string float_for_double(const Arguments& a, size_t p, const std::byte* taken) {
    const double whole = read<double>(taken), half = read<float>(taken);
    const bool plausible = whole == 0 || std::isnan(whole) || std::isinf(whole) ||
        (std::fabs(whole) >= kTiny && std::fabs(whole) <= kHuge);
    if (plausible || !is_usual(half)) return {};
    return fmt::format(
        "parameter {} of {} is a double of 8 bytes and gets {:g}, but the first 4 of the bytes that the "
        "launch "
        "points at are the float {:g}: an argument of 4 bytes, it seems; pass a double",
        p,
        a.kernel,
        whole,
        half
    );
}

}  // namespace

std::vector<std::string> doubts_of_arguments(const Arguments& a) {
    std::vector<std::string> out;
    const std::vector<runtime::ParamPlace> places = runtime::params_of(a.entry);
    for (size_t p = 0; p < places.size(); ++p) {
        const std::byte* const taken = a.taken.data() + places[p].offset;
        const ptx::Type type = a.entry.params[p].type;
        std::string doubt;
        // A struct may hold what another argument is: whole numbers and pointers do not.
        const bool scalar = ptx::bytes_of(type) == places[p].bytes;
        if (const int other = argument_within(a.given, p, places[p].bytes); scalar && other >= 0)
            doubt = overlap_text(a, p, places[p].bytes, other);
        else if (type == ptx::Type::f32 && places[p].bytes == sizeof(float))
            doubt = double_for_float(a, p, taken);
        else if (type == ptx::Type::f64 && places[p].bytes == sizeof(double))
            doubt = float_for_double(a, p, taken);
        if (!doubt.empty()) out.push_back(std::move(doubt));
    }
    return out;
}

}  // namespace wl::cuda
