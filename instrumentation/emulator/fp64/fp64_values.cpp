// Arithmetic in FP64, and whose rounding a difference goes back to.
#include "instrumentation/emulator/fp64/fp64_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wl::emulator {
namespace {

using ptx::Op;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A relative difference that one instruction makes this many times larger is a loss; rounding on and on makes
// it larger by steps.
constexpr double kLoss = 16;

double result_of(const ptx::Instruction& in, const double* x) {
    switch (in.op) {
        case Op::add: return x[0] + x[1];
        case Op::sub: return x[0] - x[1];
        case Op::mul: return x[0] * x[1];
        case Op::mad:
        case Op::fma: return std::fma(x[0], x[1], x[2]);
        case Op::div: return x[0] / x[1];
        case Op::abs: return std::fabs(x[0]);
        case Op::neg: return -x[0];
        case Op::min: return std::fmin(x[0], x[1]);
        case Op::max: return std::fmax(x[0], x[1]);
        case Op::rcp: return 1 / x[0];
        case Op::sqrt: return std::sqrt(x[0]);
        case Op::rsqrt: return 1 / std::sqrt(x[0]);
        case Op::sin: return std::sin(x[0]);
        case Op::cos: return std::cos(x[0]);
        case Op::lg2: return std::log2(x[0]);
        case Op::ex2: return std::exp2(x[0]);
        default: return std::tanh(x[0]);
    }
}

double clamped(const ptx::Instruction& in, double value) {
    if (in.modifiers.sat) return std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
    return in.modifiers.relu && value < 0 ? 0 : value;
}

// Math libraries round to a whole number by adding 3 * 2^22 in FP32, or 2^23, as the format has no bits for
// fractions there; what is taken of the sum is the whole number, and FP64 would keep the fraction.
bool rounds_to_whole(const ptx::Instruction& in, DType format, const WideOperand* x, size_t count) {
    const bool adds = in.op == Op::add || in.op == Op::sub || in.op == Op::fma || in.op == Op::mad;
    if (!adds || format != DType::f32) return false;
    const double addend = std::fabs(x[count - 1].actual);
    return std::fabs(addend - 12582912) <= 256 || addend == 8388608;
}

// The result of one lane, or of one half of a pair.
Coming operate_once(const Fp64& f, const WideOperand* x, size_t count) {
    const ptx::Instruction& in = *f.step->in;
    std::array<double, 3> actual{}, wide{};
    bool parted = false;
    for (size_t k = 0; k < count; ++k) {
        actual.at(k) = x[k].actual, wide.at(k) = x[k].wide.value;
        parted = parted || actual.at(k) != wide.at(k);
    }
    Coming out;
    out.ideal = clamped(in, result_of(in, actual.data()));
    out.wide.value = parted ? clamped(in, result_of(in, wide.data())) : out.ideal;
    out.whole = rounds_to_whole(in, f.kind.format, x, count);
    if (!parted) return out;
    std::array<double, 3> parts{};
    for (size_t k = 0; k < count; ++k) {
        if (actual.at(k) == wide.at(k)) continue;
        std::array<double, 3> one = actual;
        one.at(k) = wide.at(k);
        const double changed = clamped(in, result_of(in, one.data()));
        parts.at(k) =
            std::isfinite(changed) && std::isfinite(out.ideal) ? std::fabs(changed - out.ideal) : kInfinity;
    }
    take_dominant(out, x, parts.data(), count);
    return out;
}

void come(Fp64& f, Coming coming, uint32_t at) {
    coming.at = at, coming.wide.format = f.kind.format;
    f.coming.push_back(coming);
}

}  // namespace

double rounded(DType format, double value) {
    uint64_t bits = 0;
    from_double(format, value, &bits);
    return to_double(format, &bits);
}

double relative_difference(double a, double b) {
    if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
    if (!std::isfinite(a) || !std::isfinite(b)) return kInfinity;
    return std::fabs(a - b) / std::max(std::fabs(a), std::fabs(b));
}

WideOperand read_wide(const Wide& noted, DType format, uint64_t bits) {
    WideOperand out;
    out.actual = to_double(format, &bits);
    const bool four = (noted.format == DType::f32 && format == DType::tf32) ||
        (noted.format == DType::tf32 && format == DType::f32);
    if ((noted.format == format || four) && noted.bits == bits) {
        out.wide = noted;
        return out;
    }
    out.wide.bits = bits, out.wide.value = out.actual, out.wide.format = format;
    return out;
}

WideOperand read_register(const Fp64& f, uint32_t at, DType format) {
    const uint64_t bits = bits_in_register(f, at, static_cast<uint32_t>(size_of(format)));
    return read_wide((*f.registers)[at / kUnit], format, bits);
}

WideOperand read_source(const Fp64& f, const PoisonSource& source, int lane, uint32_t part, DType format) {
    WideOperand out;
    if (source.cell.bits == 0) {
        const uint64_t bits = source.value >> (16 * part);
        out = read_wide({}, format, size_of(format) == 2 ? bits & 0xffff : bits);
    } else {
        out = read_register(f, at_lane(source.cell, lane) + kUnit * part, format);
    }
    if (source.negated) out.actual = -out.actual, out.wide.value = -out.wide.value;
    return out;
}

void take_dominant(Coming& coming, const WideOperand* operands, const double* parts, size_t count) {
    const size_t k = static_cast<size_t>(std::max_element(parts, parts + count) - parts);
    if (parts[k] == 0) return;
    coming.dominant = operands[k].wide;
    coming.came_in = parts[k];
    coming.relative = relative_difference(operands[k].actual, operands[k].wide.value);
}

void note_result(Fp64& f, const Coming& coming) {
    Wide w = coming.wide;
    w.bits = bits_in_register(f, coming.at, static_cast<uint32_t>(size_of(w.format)));
    const double actual = to_double(w.format, &w.bits);
    const uint32_t site = f.at->site;
    if (coming.whole) w.value = actual;
    if (!f.unrounded.empty() && f.unrounded[site] == 0) w.value = rounded(w.format, w.value);
    const double behind = relative_difference(actual, w.value);
    if (behind > 0) {
        const bool finite = std::isfinite(actual) && std::isfinite(coming.ideal);
        const double own = finite                            ? std::fabs(actual - coming.ideal)
            : relative_difference(actual, coming.ideal) == 0 ? 0
                                                             : kInfinity;
        const Wide& from = coming.dominant;
        const bool here = from.format == DType::u8 || own > coming.came_in;
        w.born = here ? site : from.born, w.born_in = here ? w.format : from.born_in;
        w.parted = from.parted, w.before = from.before, w.behind = from.behind;
        const double before = std::max(here ? 0 : coming.relative, unit_roundoff(w.format));
        const double most = w.parted == kNoSite ? kLoss : double{w.behind} / w.before;
        if (behind / before > most)
            w.parted = site, w.before = static_cast<float>(before), w.behind = static_cast<float>(behind);
    }
    (*f.registers)[coming.at / kUnit] = w;
}

void operate(Fp64& f) {
    const PoisonStep& s = *f.step;
    const size_t count = std::min<size_t>(s.sources.size(), 3);
    std::array<WideOperand, 3> x;
    for (uint32_t rest = f.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        for (uint32_t part = 0; part < f.kind.parts; ++part) {
            for (size_t k = 0; k < count; ++k)
                x.at(k) = read_source(f, s.sources[k], lane, part, f.kind.format);
            come(f, operate_once(f, x.data(), count), at_lane(s.results[0], lane) + kUnit * part);
        }
    }
}

// Of a pair {a, b} a is the upper half: ISA 9.7.9.21.
void convert(Fp64& f) {
    const PoisonStep& s = *f.step;
    for (uint32_t rest = f.lanes; rest != 0; rest &= rest - 1) {
        const int lane = first_lane(rest);
        for (uint32_t part = 0; part < f.kind.parts; ++part) {
            const bool pair = f.kind.parts == 2 && s.sources.size() == 2;
            const PoisonSource& source = s.sources[pair ? 1 - part : 0];
            const uint32_t part_of_source = f.kind.parts == 2 && !pair ? part : 0;
            Coming out;
            if (is_float(f.kind.source)) {
                const WideOperand x = read_source(f, source, lane, part_of_source, f.kind.source);
                out.ideal = clamped(*s.in, x.actual), out.wide.value = clamped(*s.in, x.wide.value);
                const double came_in = std::isfinite(x.actual) && std::isfinite(x.wide.value)
                    ? std::fabs(x.actual - x.wide.value)
                    : relative_difference(x.actual, x.wide.value);
                take_dominant(out, &x, &came_in, 1);
            } else {
                const uint64_t bits = source.cell.bits == 0
                    ? source.value
                    : bits_in_register(f, at_lane(source.cell, lane), source.cell.bits == 64 ? 8 : 4);
                out.ideal = out.wide.value = to_double(f.kind.source, &bits);
            }
            come(f, out, at_lane(s.results[0], lane) + kUnit * part);
        }
    }
}

}  // namespace wl::emulator
