// Reads and checks what a manifest says of textures and surfaces (docs/manifest.md, "Textures and surfaces").
#include "instrumentation/manifest/texture.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/expression.h"

#include <algorithm>
#include <fmt/format.h>

namespace wl::manifest {
namespace {

using Names = std::vector<std::string>;

[[noreturn]] void refuse(const Section& section, const std::string& key, const std::string& what) {
    fail(*section.document, line_of(section, key), full_name(section, key) + " " + what + ".");
}

std::string one_of(const Section& section, const std::string& key, std::string word, const Names& known) {
    if (std::find(known.begin(), known.end(), word) == known.end())
        refuse(section, key, fmt::format("is \"{}\"; it is one of {}", word, join(known, ", ")));
    return word;
}

// One mode for all axes, or one for each, x first.
void read_address(const Section& section, TextureRule& rule) {
    const Names known = {"wrap", "clamp", "mirror", "border"};
    if (!section.table->contains("address")) return;
    if (section.table->get("address")->is_string()) {
        rule.address.fill(one_of(section, "address", *text(section, "address"), known));
        return;
    }
    const Names modes = *texts(section, "address");
    if (modes.empty() || modes.size() > 3) refuse(section, "address", "has one to three modes, x first");
    for (size_t axis = 0; axis < modes.size(); ++axis)
        rule.address[axis] = one_of(section, "address", modes[axis], known);
}

void read_border(const Section& section, TextureRule& rule) {
    const auto border = expressions(section, "border");
    if (!border) return;
    if (border->size() > 4) refuse(section, "border", "has at most four numbers, one a channel");
    for (size_t c = 0; c < border->size(); ++c)
        rule.border[c] = static_cast<float>(evaluate((*border)[c], {}, full_name(section, "border")));
}

void read_sampling(const Section& section, const Argument& argument, TextureRule& rule) {
    const std::string filter =
        one_of(section, "filter", text(section, "filter").value_or("point"), {"point", "linear"});
    rule.linear = filter == "linear";
    rule.normalized = flag(section, "normalized").value_or(false);
    rule.numbers = flag(section, "numbers").value_or(false);
    const size_t bytes = size_of(argument.dtype);
    if (rule.numbers && (is_float(argument.dtype) || bytes > 2))
        refuse(section, "numbers", "is for u8, s8, u16 and s16");
    if (rule.linear && !rule.numbers && !is_float(argument.dtype))
        refuse(section, "filter", "cannot be linear for integers unless numbers = true");
    read_address(section, rule);
    read_border(section, rule);
}

// What the array is to the texture besides its texels.
void read_layout(const Section& section, TextureRule& rule) {
    rule.cube = flag(section, "cube").value_or(false);
    rule.width = expression(section, "width").value_or("");
    if (rule.cube && rule.layered)
        refuse(section, "cube", "stands beside layered; a layered cube map has more than six faces");
    if (rule.cube && text(section, "filter").value_or("point") != "point")
        refuse(section, "filter", "is point for a cube map: filtering across its edges is not modelled");
}

}  // namespace

std::optional<TextureRule> read_texture(const Section& section, const Argument& argument) {
    const auto texture = subsection(section, "texture"), surface = subsection(section, "surface");
    if (!texture && !surface) return {};
    if (texture && surface) refuse(section, "surface", "stands beside texture; an array is one of them");
    const Section& rules = texture ? *texture : *surface;
    TextureRule rule;
    rule.surface = surface.has_value();
    const std::string format(name_of(argument.dtype));
    const Names formats = {"u8", "s8", "u16", "s16", "u32", "s32", "f16", "f32"};
    if (std::find(formats.begin(), formats.end(), format) == formats.end())
        refuse(section, "dtype", fmt::format("is {}; a texel is one of {}", format, join(formats, ", ")));
    if (rule.surface)
        check_keys(rules, {"channels", "layered"});
    else
        check_keys(
            rules,
            {"channels", "layered", "cube", "width", "filter", "normalized", "numbers", "address", "border"}
        );
    rule.channels = whole(rules, "channels").value_or(1);
    rule.layered = flag(rules, "layered").value_or(false);
    if (rule.channels != 1 && rule.channels != 2 && rule.channels != 4)
        refuse(rules, "channels", "is 1, 2 or 4");
    if (!rule.surface) read_layout(rules, rule);
    const size_t axes = argument.shape.size() - (rule.channels > 1 ? 1 : 0);
    if (rule.cube && axes != 3)
        refuse(section, "shape", "is that of a cube map: six faces a cube, y, x, and the channels");
    if (axes < (rule.layered ? 2u : 1u) || axes > 3)
        refuse(
            section,
            "shape",
            "is that of a texture: (z or layers), y, x, and the channels where there are several"
        );
    if (!rule.surface) read_sampling(rules, argument, rule);
    return rule;
}

void bind_texture(
    const std::map<std::string, double>& variables,
    const Tensor& data,
    const std::string& where,
    TextureRule& rule
) {
    if (rule.channels > 1 && data.shape.back() != rule.channels)
        throw Error(fmt::format(
            "{}: the last extent is {}, but the texture has {} channels.",
            where,
            data.shape.back(),
            rule.channels
        ));
    const size_t x = data.shape.size() - (rule.channels > 1 ? 2 : 1);
    const int64_t row = data.shape[x];
    if (!rule.width.empty()) {
        const int64_t width = evaluate_whole(rule.width, variables, where, 1);
        if (width > row)
            throw Error(fmt::format(
                "{}: the texture's width is {}, but a row of the array has {} texels.", where, width, row
            ));
        rule.texels = static_cast<uint32_t>(width);
    }
    const int64_t columns = rule.texels != 0 ? int64_t{rule.texels} : row;
    if (rule.cube && (data.shape[0] % 6 != 0 || data.shape[1] != columns))
        throw Error(fmt::format(
            "{}: a cube map has six square faces a cube, not {} of {} x {}.",
            where,
            data.shape[0],
            data.shape[1],
            columns
        ));
}

}  // namespace wl::manifest
