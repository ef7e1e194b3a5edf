// Seeded contents.
#include "tests/programs/inputs.h"

#include "tests/conformance/inputs.h"

namespace wl::programs {
namespace {

Argument filled(Argument::Kind kind, DType type, size_t count) {
    Argument a;
    a.kind = kind, a.type = type;
    a.bytes.resize(count * size_of(type));
    return a;
}

template <class Number>
Argument drawn(DType type, size_t count, const Number& number) {
    Argument a = filled(Argument::Kind::input, type, count);
    for (size_t i = 0; i < count; ++i) from_double(type, number(i), &a.bytes[i * size_of(type)]);
    return a;
}

}  // namespace

Argument value(DType type, double number) {
    Argument a = drawn(type, 1, [number](size_t) { return number; });
    a.kind = Argument::Kind::value;
    return a;
}

Argument uniform(DType type, size_t count, uint64_t seed) {
    conformance::Random random{seed};
    return drawn(type, count, [&random](size_t) {
        return static_cast<double>(conformance::below(random, 4096)) / 2048 - 1;
    });
}

Argument integers(DType type, size_t count, uint64_t limit, uint64_t seed) {
    conformance::Random random{seed};
    return drawn(type, count, [&random, limit](size_t) {
        return static_cast<double>(conformance::below(random, limit));
    });
}

Argument list(DType type, const std::vector<double>& numbers) {
    return drawn(type, numbers.size(), [&numbers](size_t i) { return numbers[i]; });
}

Argument output(DType type, size_t count, Bound bound) {
    Argument a = filled(Argument::Kind::output, type, count);
    a.bound = bound;
    return a;
}

Argument zeros(DType type, size_t count, Bound bound) {
    Argument a = filled(Argument::Kind::changed, type, count);
    a.bound = bound;
    return a;
}

Argument changed(Argument input) {
    input.kind = Argument::Kind::changed;
    return input;
}

Argument texture(Argument texels, execution::Texture form, int dimensions) {
    form.dtype = texels.type;
    texels.kind = Argument::Kind::image;
    texels.image.texture = std::move(form);
    texels.image.dimensions = dimensions;
    return texels;
}

Argument surface(Argument texels, uint32_t channels, uint32_t width, uint32_t height) {
    execution::Texture form;
    form.channels = channels;
    form.extent = {width, height, 1};
    texels = texture(std::move(texels), std::move(form), 2);
    texels.image.surface = true;
    return texels;
}

Argument scratch(DType type, size_t count) { return filled(Argument::Kind::scratch, type, count); }
Argument zeroed_scratch(DType type, size_t count) { return filled(Argument::Kind::input, type, count); }

}  // namespace wl::programs
