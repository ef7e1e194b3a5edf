// Models ex2, lg2, sin, cos, tanh and rsqrt by functions inside the ISA's error bounds (approximate.h). Not
// modelled: the bits that hardware's tables give.
#include "instrumentation/emulator/exec/values/approximate.h"

#include "instrumentation/emulator/machine/simd.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {
namespace {

using ptx::Op;
using ptx::Type;

template <class T>
T inverse_root(T x) {
    return 1 / std::sqrt(x);
}

template <auto F, bool Ftz>
float finished(float x) {
    return canonical(flush<Ftz>(F(flush<Ftz>(x))));
}

template <auto F>
Exec single(const ptx::Modifiers& m) {
    return m.ftz ? map1<finished<F, true>, float, float> : map1<finished<F, false>, float, float>;
}

}  // namespace

Selected lower_approximate(Lowering& l) {
    const auto& in = *l.in;
    if (in.types.size() != 1) return {};
    plain_operands(l, in.types[0]);
    if (in.types[0] == Type::f64)
        return in.op != Op::rsqrt ? nullptr
            : in.modifiers.ftz    ? Exec{map1<upper_word<inverse_root<double>>, double, double>}
                                  : Exec{map1<inverse_root<double>, double, double>};
    if (in.types[0] != Type::f32) return {};
    switch (in.op) {
        case Op::ex2: return single<exp2_approx>(in.modifiers);
        case Op::lg2: return single<log2_approx>(in.modifiers);
        case Op::sin: return single<sine_approx<0>>(in.modifiers);
        case Op::cos: return single<sine_approx<1>>(in.modifiers);
        case Op::tanh: return single<tanh_approx>(in.modifiers);
        case Op::rsqrt: return single<inverse_root<float>>(in.modifiers);
        default: return {};
    }
}

}  // namespace wl::emulator
