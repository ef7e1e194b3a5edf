// Surface loads, stores and reductions: every thread its own element, some of them outside where the form
// says what happens there.
#include "instrumentation/base/dtype.h"
#include "tests/conformance/families/families.h"
#include "tests/conformance/fetch.h"

#include <algorithm>

namespace wl::conformance {
namespace {

using execution::Texture;
using ptx::Op;
using ptx::Type;

// The format whose texel is what one thread moves.
bool set_format(Texture& t, uint32_t bytes, uint32_t count) {
    if (bytes * count > 16) return false;
    t.dtype = bytes == 1 ? DType::u8 : bytes == 2 ? DType::u16 : DType::u32;
    t.channels = bytes == 8 ? 2 * count : count;
    return true;
}

// 64 elements and a rim that the threads inside leave alone.
Image make_surface(const Geometry& shape, uint32_t bytes, uint32_t count, bool& possible) {
    Image image;
    Texture& t = image.texture;
    possible = set_format(t, bytes, count);
    t.extent = shape.dimensions == 1 ? std::array<uint32_t, 3>{shape.layered ? 18u : 68u, 1, 1}
        : shape.dimensions == 2      ? std::array<uint32_t, 3>{10, shape.layered ? 2u : 8u, 1}
                                     : std::array<uint32_t, 3>{6, 4, 4};
    t.layers = shape.layered ? 4 : 0;
    image.dimensions = shape.dimensions;
    image.surface = true;
    image.texels.type = Type::b8;
    image.texels.bytes = random_bytes(execution::texture_bytes(t), 113);
    return image;
}

// Element (x, y, z or layer) of each thread: x starts at 1; with `outside` the last two threads miss on
// either side.
struct Elements {
    std::vector<uint64_t> at[3];
};
Elements elements_of(const Image& image, uint32_t step, bool outside) {
    const Texture& t = image.texture;
    Elements all;
    const uint32_t width = t.extent[0] - (image.dimensions == 1 && t.layers == 0 ? 4 : 2);
    for (uint32_t i = 0; i < 64; ++i) {
        int64_t x = 1 + i % width;
        if (outside && i >= 62) x = i == 62 ? -3 : 1000;
        all.at[0].push_back(static_cast<uint32_t>(x * step));
        all.at[1].push_back(i / width % t.extent[1]);
        all.at[2].push_back(i / width / t.extent[1]);
    }
    return all;
}

std::string coordinates(Kernel& k, const Image& image, const Elements& e) {
    std::vector<std::string> all;
    if (image.texture.layers != 0) all.push_back(input(k, Type::b32, e.at[2]));
    for (int axis = 0; axis < image.dimensions; ++axis) all.push_back(input(k, Type::b32, e.at[axis]));
    if (all.size() == 3) all.push_back(all.back());
    std::string text = "{";
    for (size_t i = 0; i < all.size(); ++i) text += (i ? ", " : "") + all[i];
    return text + "}";
}

Type register_type(uint32_t bytes) { return bytes == 8 ? Type::b64 : bytes == 4 ? Type::b32 : Type::b16; }

Case access_case(const ptx::Form& form, const Variant& v, Image image_of, uint32_t bytes) {
    Kernel k;
    const size_t count = vector_of(v);
    const bool loads = form.op == Op::suld, outside = !has(v, "trap");
    const auto step = static_cast<uint32_t>(bytes * count);
    image_of.texels.compared = !loads;
    std::vector<std::string> data;
    for (size_t c = 0; c < count; ++c) {
        if (loads) {
            data.push_back(new_register(k, register_type(bytes)));
        } else {
            Random random{127 + c};
            std::vector<uint64_t> values;
            for (uint32_t i = 0; i < 64; ++i) values.push_back(next(random));
            data.push_back(input(k, register_type(bytes), values));
        }
    }
    const std::string where =
        coordinates(k, image_of, elements_of(image_of, has(v, "p") ? 1 : step, outside));
    const std::string handle = image(k, image_of),
                      vector = "{" +
        [&] {
            std::string text;
            for (size_t c = 0; c < count; ++c) text += (c ? ", " : "") + data[c];
            return text;
        }() +
        "}";
    const std::string place = "[" + handle + ", " + where + "]";
    line(k, mnemonic(form, v) + (loads ? " " + vector + ", " + place : " " + place + ", " + vector));
    for (size_t c = 0; loads && c < count; ++c) output(k, register_type(bytes), data[c]);
    Case result = finish(k, form, mnemonic(form, v));
    result.risky = true;
    return result;
}

// Four threads reduce into each element.
Case reduction_case(const ptx::Form& form, const Variant& v, Image image_of, uint32_t bytes) {
    Kernel k;
    image_of.texels.compared = true;
    if (v.types[0] == Type::s32) image_of.texture.dtype = DType::s32;
    Elements e = elements_of(image_of, has(v, "p") ? 1 : bytes, !has(v, "trap"));
    for (auto& axis : e.at) {
        const std::vector<uint64_t> each = axis;
        for (uint32_t i = 0; i < 60; ++i) axis[i] = each[i / 4];
    }
    const std::string where = coordinates(k, image_of, e);
    Random random{131};
    std::vector<uint64_t> values;
    for (uint32_t i = 0; i < 64; ++i) values.push_back(next(random));
    const std::string b = input(k, register_type(bytes), values), handle = image(k, image_of);
    line(k, mnemonic(form, v) + " [" + handle + ", " + where + "], " + b);
    Case result = finish(k, form, mnemonic(form, v));
    result.risky = true;
    return result;
}

}  // namespace

std::vector<Case> surface_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    if (form.op != Op::suld && form.op != Op::sust && form.op != Op::sured) return cases;
    for (const Variant& v : variants_of(form)) {
        Geometry shape;
        bool possible = true;
        if (!parse_geometry(v, shape)) continue;
        const uint32_t bytes = ptx::bytes_of(v.types[0]);
        const Image image_of = make_surface(shape, bytes, static_cast<uint32_t>(vector_of(v)), possible);
        if (!possible) continue;
        cases.push_back(
            form.op == Op::sured ? reduction_case(form, v, image_of, bytes)
                                 : access_case(form, v, image_of, bytes)
        );
    }
    return cases;
}

}  // namespace wl::conformance
