// Places in memory that has a layout, and what another reading of it gives.
#include "instrumentation/fragments/live.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace wl::fragments {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

const Laid* laid_of(const Live& live, const Operand& operand) {
    return operand.laid < 0 ? nullptr : &live.laid[static_cast<size_t>(operand.laid)];
}

size_t index_of(const Operand& o, int lane, int element) {
    return static_cast<size_t>(lane) * static_cast<size_t>(o.map.layout.elements) +
        static_cast<size_t>(element);
}

// Address of the operand's element (0, 0).
std::optional<uint64_t> first_address(const Operand& o) {
    if (o.addresses.empty()) return {};
    for (int lane = 0; lane < o.map.lanes; ++lane)
        for (int i = 0; i < o.map.layout.elements; ++i)
            if (o.map.layout.at(lane, i) == FragmentPlace{} && o.addresses[index_of(o, lane, i)] != 0)
                return o.addresses[index_of(o, lane, i)];
    return {};
}

double value_at(const Laid& laid, const LaidPlace& p) {
    if (p.line < 0 || p.line >= laid.lines() || p.at < 0 || p.at >= laid.ld) return kNothing;
    const size_t at = static_cast<size_t>(p.line) * static_cast<size_t>(laid.ld) + static_cast<size_t>(p.at);
    return at < laid.values.size() ? laid.values[at] : kNothing;
}

bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

void add(Reading& reading, const Laid& laid, const std::optional<LaidPlace>& place, double held) {
    const LaidPlace p = place.value_or(LaidPlace{-1, -1});
    const double value = value_at(laid, p);
    const bool wrong = !same(value, held) && !(std::isnan(value) && std::isnan(held));
    reading.values.push_back(value);
    reading.places.push_back(p);
    reading.wrong.push_back(wrong ? 1 : 0);
    reading.wrong_count += wrong ? 1 : 0;
}

}  // namespace

std::optional<LaidPlace> place_in(const Laid& laid, uint64_t address) {
    const uint64_t size = size_of(laid.dtype);
    if (address < laid.address || laid.ld <= 0 || (address - laid.address) % size != 0) return {};
    const uint64_t at = (address - laid.address) / size, ld = static_cast<uint64_t>(laid.ld);
    if (at / ld >= static_cast<uint64_t>(laid.lines())) return {};
    return LaidPlace{static_cast<int>(at / ld), static_cast<int>(at % ld)};
}

std::string place_text(const Laid& laid, const LaidPlace& place) {
    const auto index = [](int i) { return "[" + std::to_string(i) + "]"; };
    if (place.line < 0) return "outside of " + laid.name;
    if (place.at >= laid.width())
        return std::string("padding after ") + (laid.column ? "column " : "row ") +
            std::to_string(place.line) + " of " + laid.name;
    return laid.name +
        (laid.column ? index(place.at) + index(place.line) : index(place.line) + index(place.at));
}

std::optional<LaidPlace> start_of(const Live& live, const Operand& operand) {
    const Laid* laid = laid_of(live, operand);
    const std::optional<uint64_t> first = first_address(operand);
    if (laid == nullptr || !first) return {};
    return place_in(*laid, *first);
}

std::optional<Reading> by_its_own_ld(const Live& live, const Operand& operand) {
    const Laid* laid = laid_of(live, operand);
    const std::optional<uint64_t> first = first_address(operand);
    if (laid == nullptr || !first || operand.ld == 0 || operand.ld == laid->ld) return {};
    Reading reading;
    const FragmentLayout& layout = operand.map.layout;
    for (int lane = 0; lane < operand.map.lanes; ++lane)
        for (int i = 0; i < layout.elements; ++i) {
            const FragmentPlace& p = layout.at(lane, i);
            const auto line = static_cast<uint64_t>(operand.column ? p.column : p.row),
                       at = static_cast<uint64_t>(operand.column ? p.row : p.column);
            const uint64_t address =
                *first + (line * static_cast<uint64_t>(laid->ld) + at) * size_of(laid->dtype);
            add(reading, *laid, place_in(*laid, address), operand.values[index_of(operand, lane, i)]);
        }
    return reading;
}

std::optional<Reading> transposed(const Live& live, const Operand& operand) {
    const Laid* laid = laid_of(live, operand);
    if (laid == nullptr || operand.addresses.empty()) return {};
    Reading reading;
    for (size_t k = 0; k < operand.addresses.size(); ++k) {
        std::optional<LaidPlace> place = place_in(*laid, operand.addresses[k]);
        if (place) std::swap(place->line, place->at);
        if (place && place->line >= laid->lines()) place.reset();
        add(reading, *laid, place, operand.values[k]);
    }
    return reading;
}

}  // namespace wl::fragments
