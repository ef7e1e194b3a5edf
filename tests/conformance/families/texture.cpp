// Texture fetches: each form over a small texture, with coordinates that make every result exact, whatever
// the order in which a filter adds.
#include "instrumentation/base/dtype.h"
#include "tests/conformance/families/families.h"
#include "tests/conformance/fetch.h"

namespace wl::conformance {
namespace {

using execution::AddressMode;
using ptx::Op;
using ptx::Type;

std::vector<uint64_t> whole_coordinates(uint32_t extent, uint64_t seed, int beyond) {
    Random random{seed};
    std::vector<uint64_t> values;
    for (uint32_t i = 0; i < 64; ++i)
        values.push_back(static_cast<uint32_t>(
            static_cast<int64_t>(below(random, extent + static_cast<uint32_t>(2 * beyond))) - beyond
        ));
    return values;
}

// The vector of coordinates: layer first; three and four of them make four.
std::string coordinates(Kernel& k, const Fetch& f, bool integer) {
    const Image& image = f.image;
    std::vector<std::string> all;
    if (image.texture.layers != 0) all.push_back(input(k, Type::b32, whole_coordinates(kLayers, 95, 0)));
    for (size_t axis = 0; axis < static_cast<size_t>(image.dimensions); ++axis)
        all.push_back(input(
            k,
            Type::b32,
            integer ? whole_coordinates(image.texture.extent[axis], 97 + axis, 2)
                    : floating_coordinates(f, axis)
        ));
    if (all.size() == 3) all.push_back(all.back());
    std::string text = "{";
    for (size_t i = 0; i < all.size(); ++i) text += (i ? ", " : "") + all[i];
    return text + "}";
}

std::vector<std::string> new_vector(Kernel& k, size_t count) {
    std::vector<std::string> all;
    for (size_t c = 0; c < count; ++c) all.push_back(new_register(k, Type::b32));
    return all;
}

Case fetch_case(const ptx::Form& form, const Variant& v, const Fetch& f) {
    Kernel k;
    const bool integer = v.types[1] == Type::s32;
    const auto d = new_vector(k, v.types[0] == Type::f16x2 ? 2 : 4);
    std::string destination = braced(d);
    if (f.resident) destination += "|" + new_register(k, Type::pred);
    const std::string handle = image(k, f.image);
    std::string text =
        mnemonic(form, v) + " " + destination + ", [" + handle + ", " + coordinates(k, f, integer) + "]";
    const bool grad = has(v, "grad");
    if (has(v, "level")) text += integer ? ", 0" : ", 0f00000000";
    if (grad) {
        const int n = f.image.dimensions;
        const std::string zeros = n == 1 ? "{0f00000000}"
            : n == 2                     ? "{0f00000000, 0f00000000}"
                                         : "{0f00000000, 0f00000000, 0f00000000, 0f00000000}";
        text += ", " + zeros + ", " + zeros;
    }
    if (f.offset) {
        const int n = f.image.dimensions;
        text += n == 1 ? ", {1}" : n == 2 ? ", {1, -2}" : ", {1, -2, 1, 1}";
    }
    line(k, text);
    for (const std::string& component : d) output(k, Type::b32, component);
    Case c = finish(k, form, mnemonic(form, v) + (f.label.empty() ? "" : " " + f.label));
    c.risky = true;
    return c;
}

// What a result of the type is read from.
Image default_image(const Geometry& g, Type type, uint64_t seed) {
    switch (type) {
        case Type::u32: return make_image(g, DType::u8, 4, seed);
        case Type::s32: return make_image(g, DType::s16, 2, seed);
        case Type::f16x2: return make_image(g, DType::f16, 4, seed);
        default: return make_image(g, DType::f32, 4, seed);
    }
}

// Filters, address modes and formats of the plain form with floating coordinates.
std::vector<Fetch> sampled_fetches(const Geometry& g) {
    std::vector<Fetch> all;
    for (const bool linear : {false, true}) {
        const std::string filter = linear ? "linear" : "point";
        for (const bool normalized : {false, true}) {
            const std::string scale = normalized ? " normalized" : "";
            all.push_back(with_mode(g, AddressMode::clamp, linear, normalized, filter + " clamp" + scale));
            all.push_back(with_mode(g, AddressMode::border, linear, normalized, filter + " border" + scale));
            all.back().image.texture.border = {5, -6, 7, 0.5f};
            all.push_back(with_mode(g, AddressMode::wrap, linear, normalized, filter + " wrap" + scale));
            all.push_back(with_mode(g, AddressMode::mirror, linear, normalized, filter + " mirror" + scale));
        }
    }
    for (const DType dtype : {DType::u8, DType::s8, DType::u16, DType::s16, DType::f16})
        for (const uint32_t channels : {1u, 2u, 4u})
            for (const bool linear : {false, true}) {
                Fetch& f = all.emplace_back();
                f.image = make_image(g, dtype, channels, 103);
                f.image.texture.linear = linear;
                f.image.texture.as_float = dtype != DType::f16;
                f.label = std::string(name_of(dtype)) + "x" + std::to_string(channels) + " as numbers, " +
                    (linear ? "linear" : "point");
            }
    if (g.dimensions <= 2) {
        all.push_back(with_mode(g, AddressMode::clamp, true, false, "linear 1/256"));
        all.back().steps = 256;
    }
    // Steps finer than the weights: how a coordinate is rounded.
    all.push_back(with_mode(g, AddressMode::clamp, true, false, "linear 1/4096"));
    all.back().steps = 4096;
    for (Fetch f :
         {with_mode(g, AddressMode::clamp, true, false, "linear offset"),
          with_mode(g, AddressMode::clamp, false, false, "point resident")}) {
        (f.label == "linear offset" ? f.offset : f.resident) = true;
        all.push_back(f);
    }
    return all;
}

std::vector<Case> fetch_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form)) {
        Geometry g;
        if (!parse_geometry(v, g)) continue;
        const bool integer = v.types[1] == Type::s32;
        const bool plain = !has(v, "level") && !has(v, "grad") && !has(v, "base");
        Fetch f;
        f.image = default_image(g, v.types[0], 107);
        if (integer && form.op == Op::tex && g.dimensions == 1 && !g.layered) f.image.in_array = false;
        cases.push_back(fetch_case(form, v, f));
        if (form.op == Op::tld4 && v.types[0] == Type::f32) {
            for (const bool normalized : {false, true}) {
                f = with_mode(g, AddressMode::wrap, true, normalized, normalized ? "wrap" : "clamp, fine");
                f.steps = 256;
                cases.push_back(fetch_case(form, v, f));
            }
        }
        if (integer || v.types[0] == Type::u32 || v.types[0] == Type::s32 || form.op != Op::tex) continue;
        if (plain && v.types[0] == Type::f32) {
            for (const Fetch& sampled : sampled_fetches(g)) cases.push_back(fetch_case(form, v, sampled));
            for (const Fetch& telling : arithmetic_fetches(g)) cases.push_back(fetch_case(form, v, telling));
        } else {
            f.image.texture.linear = true;
            f.label = "linear";
            cases.push_back(fetch_case(form, v, f));
        }
    }
    return cases;
}

// Properties of textures of 16, 8 x 8 and 8 x 4 x 4 texels and of three layers of them.
std::vector<Case> query_cases(const ptx::Form& form) {
    std::vector<Case> cases;
    for (const Variant& v : variants_of(form, 64)) {
        int number = 0;
        for (const Geometry g : {
                 Geometry{1, false},
                 Geometry{3, false},
                 Geometry{2, true },
                 Geometry{2, false},
                 Geometry{1, true }
        }) {
            Kernel k;
            k.block.x = 1;
            Image i = make_image(g, DType::s16, 2, 109);
            i.surface = form.op == Op::suq;
            const std::string handle = image(k, i), d = new_register(k, Type::b32);
            line(k, mnemonic(form, v) + " " + d + ", [" + handle + "]" + (has(v, "level") ? ", 0" : ""));
            output(k, Type::b32, d);
            constexpr const char* kNames[] = {" 1d", " 3d", " a2d", " 2d", " a1d"};
            Case c = finish(k, form, mnemonic(form, v) + kNames[number++]);
            c.risky = true;
            cases.push_back(c);
        }
    }
    return cases;
}

}  // namespace

std::vector<Case> texture_cases(const ptx::Form& form) {
    if (form.op == Op::tex || form.op == Op::tld4) return fetch_cases(form);
    return form.op == Op::txq || form.op == Op::suq ? query_cases(form) : std::vector<Case>{};
}

}  // namespace wl::conformance
