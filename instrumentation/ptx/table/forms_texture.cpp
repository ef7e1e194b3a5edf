// The table: textures and surfaces (PTX ISA 9.0, 9.7.10 and 9.7.11).
#include "instrumentation/ptx/table/forms.h"

#include <array>

namespace wl::ptx {
namespace {

constexpr Exactness kExact = Exactness::exact;
constexpr Exactness kBounded = Exactness::bounded;

// clang-format off
constexpr std::array kTexture = {
    Form{Op::tex, "tex", "u32|s32|f32 s32", "1d|2d|3d|a1d|a2d v4", "{d} |p? [tex] {offset}?", "9.7.10.3", kExact, "d = the texel at integer coordinates; p = whether it is resident.", "", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 s32", "1d|2d|3d|a1d|a2d v2", "{d} |p? [tex] {offset}?", "9.7.10.3", kExact, "d = the texel at integer coordinates; p = whether it is resident.", "", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 f32", "1d|2d|3d|a1d|a2d|cube|acube v4", "{d} |p? [tex] {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at floating coordinates, filtered and addressed as the texture says.", "depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 f32", "1d|2d|3d|a1d|a2d|cube|acube v2", "{d} |p? [tex] {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at floating coordinates, filtered and addressed as the texture says.", "depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 s32", "base 1d|2d|3d|a1d|a2d v4", "{d} |p? [tex] {offset}?", "9.7.10.3", kExact, "d = the texel at integer coordinates of the first level.", "", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 s32", "level 1d|2d|3d|a1d|a2d v4", "{d} |p? [tex] lod {offset}?", "9.7.10.3", kExact, "d = the texel at integer coordinates of a level of the mipmap; outside, that of the edge.", "levels but the first", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 s32", "base 1d|2d|3d|a1d|a2d v2", "{d} |p? [tex] {offset}?", "9.7.10.3", kExact, "d = the texel at integer coordinates of the first level.", "", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 s32", "level 1d|2d|3d|a1d|a2d v2", "{d} |p? [tex] lod {offset}?", "9.7.10.3", kExact, "d = the texel at integer coordinates of a level of the mipmap; outside, that of the edge.", "levels but the first", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 f32", "base 1d|2d|3d|a1d|a2d|cube|acube v4", "{d} |p? [tex] {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at the first level of its mipmap.", "depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 f32", "level 1d|2d|3d|a1d|a2d|cube|acube v4", "{d} |p? [tex] lod {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at a level of its mipmap.", "levels but the first, depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 f32", "base 1d|2d|3d|a1d|a2d|cube|acube v2", "{d} |p? [tex] {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at the first level of its mipmap.", "depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 f32", "level 1d|2d|3d|a1d|a2d|cube|acube v2", "{d} |p? [tex] lod {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at a level of its mipmap.", "levels but the first, depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 s32", "grad 1d|2d|3d|a1d|a2d v4", "{d} |p? [tex] {gradient_x} {gradient_y} {offset}?", "9.7.10.3", kBounded, "d = the texture sampled at the level that the gradients choose. Integer coordinates count as the bits of floats, as on an H200.", "levels but the first", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 f32", "grad 1d|2d|3d|a1d|a2d|cube|acube v4", "{d} |p? [tex] {gradient_x} {gradient_y} {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at the level that the gradients choose.", "levels but the first, depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 s32", "grad 1d|2d|3d|a1d|a2d v2", "{d} |p? [tex] {gradient_x} {gradient_y} {offset}?", "9.7.10.3", kBounded, "d = the texture sampled at the level that the gradients choose. Integer coordinates count as the bits of floats, as on an H200.", "levels but the first", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 f32", "grad 1d|2d|3d|a1d|a2d|cube|acube v2", "{d} |p? [tex] {gradient_x} {gradient_y} {offset}? compare?", "9.7.10.3", kBounded, "d = the texture sampled at the level that the gradients choose.", "levels but the first, depth comparison", "opaque d:t1"},
    Form{Op::tex, "tex", "u32|s32|f32 s32", "base? 2dms|a2dms v4", "{d} |p? [tex] {offset}?", "9.7.10.3", kExact, "d = one sample of a multisampled texel.", "multisampled textures: not executed", "opaque d:t1"},
    Form{Op::tex, "tex", "f16x2 s32", "base? 2dms|a2dms v2", "{d} |p? [tex] {offset}?", "9.7.10.3", kExact, "d = one sample of a multisampled texel.", "multisampled textures: not executed", "opaque d:t1"},
    Form{Op::tld4, "tld4", "u32|s32|f32 f32", "r|g|b|a 2d|a2d|cube|acube v4", "{d} |p? [tex] {offset}? compare?", "9.7.10.4", kExact, "d = one component of the four texels that a bilinear sample reads.", "", "opaque d:t1"},
    Form{Op::txq, "txq", "b32", "level? width|height|depth", "d [a] lod?", "9.7.10.5", kExact, "d = an extent of a texture, in texels. Without that axis: a height of 1, a depth of 0; the depth of layers is their number.", "levels but the first", "hint clean d:32"},
    Form{Op::txq, "txq", "b32", "channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_levels|num_samples|force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2", "d [a]", "9.7.10.5", kExact, "d = a property of a texture or sampler.", "properties that CUDA's driver does not provide: not executed", "hint clean d:32"},
    Form{Op::istypep, "istypep", "texref|samplerref|surfref", "", "d a", "9.7.10.6", kExact, "d = whether a points to an opaque variable of the type.", "opaque variables: not executed", "d:pred a:any"},
};

constexpr std::array kSurface = {
    Form{Op::suld, "suld", "b8|b16|b32|b64", "b 1d|2d|3d|a1d|a2d ca|cg|cs|cv? v2|v4? trap|clamp|zero", "{d} [surf]", "9.7.11.1", kExact, "d = the bytes of a surface element; out of range traps, clamps or gives zero. x is in bytes.", "", "opaque d:t+"},
    Form{Op::sust, "sust", "b8|b16|b32|b64", "b 1d|2d|3d|a1d|a2d wb|cg|cs|wt? v2|v4? trap|clamp|zero", "[surf] {b}", "9.7.11.2", kExact, "The bytes of a surface element = b; out of range traps, clamps or is dropped. x is in bytes.", "", "opaque b:t+"},
    Form{Op::sust, "sust", "b32", "p 1d|2d|3d|a1d|a2d wb|cg|cs|wt? v2|v4? trap|clamp|zero", "[surf] {b}", "9.7.11.2", kExact, "A surface element = b converted to the surface's format.", "channels of fewer than 32 bits: not executed", "opaque b:t+"},
    Form{Op::sured, "sured", "u32|s32|u64", "b add 1d|2d|3d trap|clamp|zero", "[surf] b", "9.7.11.3", kExact, "An atomic reduction into a surface element; with .b x is in bytes, with .p in elements.", "", "opaque"},
    Form{Op::sured, "sured", "u32|s32|u64|s64", "b min|max 1d|2d|3d trap|clamp|zero", "[surf] b", "9.7.11.3", kExact, "An atomic reduction into a surface element; with .b x is in bytes, with .p in elements.", "", "opaque"},
    Form{Op::sured, "sured", "b32", "b and|or 1d|2d|3d trap|clamp|zero", "[surf] b", "9.7.11.3", kExact, "An atomic reduction into a surface element; with .b x is in bytes, with .p in elements.", "", "opaque"},
    Form{Op::sured, "sured", "b32", "p add|min|max|and|or 1d|2d|3d trap|clamp|zero", "[surf] b", "9.7.11.3", kExact, "An atomic reduction into a surface element; with .b x is in bytes, with .p in elements.", "", "opaque"},
    Form{Op::sured, "sured", "b64", "p min|max 1d|2d|3d trap|clamp|zero", "[surf] b", "9.7.11.3", kExact, "An atomic reduction into a surface element; with .b x is in bytes, with .p in elements.", "", "opaque"},
    Form{Op::suq, "suq", "b32", "width|height|depth", "d [a]", "9.7.11.4", kExact, "d = an extent of a surface, in elements. Without that axis: 0; the depth of layers is their number.", "", "hint clean d:32"},
    Form{Op::suq, "suq", "b32", "channel_data_type|channel_order|array_size|memory_layout", "d [a]", "9.7.11.4", kExact, "d = a property of a surface.", "properties that CUDA's driver does not provide: not executed", "hint clean d:32"},
};
// clang-format on

}  // namespace

const std::array<Family, 2> kTextureFamilies = {
    {{"Textures", kTexture}, {"Surfaces", kSurface}}
};

}  // namespace wl::ptx
