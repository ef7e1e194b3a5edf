// CUDA driver API 13.0: texture and surface objects; PTX ISA 9.0, 9.7.10 and 9.7.11.
#include "instrumentation/gpu/images.h"

#include "instrumentation/base/error.h"
#include "instrumentation/gpu/session.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace wl::gpu {
namespace {

using execution::Texture;
using ptx::Op;
using Kind = ptx::Operand::Kind;

bool is_of_textures(Op op) { return op == Op::tex || op == Op::tld4 || op == Op::txq; }
bool is_of_surfaces(Op op) { return op == Op::suld || op == Op::sust || op == Op::sured || op == Op::suq; }

// Bytes of the parameters at which they begin (PTX ISA 9.0, 5.1.6: aligned in order).
std::vector<uint64_t> offsets_of(const ptx::Function& entry) {
    std::vector<uint64_t> out;
    uint64_t at = 0;
    for (const ptx::Variable& p : entry.params) {
        out.push_back(at = (at + p.align - 1) / p.align * p.align);
        at += p.bytes;
    }
    return out;
}

// Registers that hold what lies at a byte of the parameters, and nothing else.
std::map<int32_t, std::optional<uint64_t>> loaded_handles(const ptx::Function& entry) {
    const std::vector<uint64_t> offsets = offsets_of(entry);
    std::map<int32_t, std::optional<uint64_t>> held;
    for (const ptx::Instruction& in : entry.code) {
        if (in.operands.size() < 2 || in.operands[0].kind != Kind::reg) continue;
        const ptx::Operand& from = in.operands[1];
        std::optional<uint64_t> byte;
        if (in.op == Op::ld && from.kind == Kind::address && from.base_kind == Kind::param)
            byte = offsets[static_cast<size_t>(from.index)] + static_cast<uint64_t>(from.offset);
        else if (in.op == Op::mov && from.kind == Kind::reg)
            if (const auto source = held.find(from.index); source != held.end()) byte = source->second;
        if (!byte && !held.contains(in.operands[0].index)) continue;
        const auto [known, is_new] = held.try_emplace(in.operands[0].index, byte);
        if (!is_new && known->second != byte) known->second.reset();
    }
    return held;
}

CUarray_format format_of(DType t) {
    switch (t) {
        case DType::u8: return CU_AD_FORMAT_UNSIGNED_INT8;
        case DType::u16: return CU_AD_FORMAT_UNSIGNED_INT16;
        case DType::u32: return CU_AD_FORMAT_UNSIGNED_INT32;
        case DType::s8: return CU_AD_FORMAT_SIGNED_INT8;
        case DType::s16: return CU_AD_FORMAT_SIGNED_INT16;
        case DType::s32: return CU_AD_FORMAT_SIGNED_INT32;
        case DType::f16: return CU_AD_FORMAT_HALF;
        default: return CU_AD_FORMAT_FLOAT;
    }
}

void require_object(const Driver& d, CUresult status, const Texture& t, const char* what) {
    if (status != CUDA_SUCCESS)
        throw Unsupported(fmt::format(
            "unsupported: the driver refuses the {} of {}: {}; --on cpu runs it in the emulator",
            what,
            t.name,
            describe(d, status)
        ));
}

// An array with the texels of a texture, and how they get there.
void make_array(Image& image, const Texture& t, const HandleUse& use, uint64_t texels) {
    const Driver& d = image.session.d;
    const bool flat = use.geometry == "1d" || use.geometry == "a1d", deep = use.geometry == "3d";
    // NOLINTNEXTLINE(bugprone-invalid-enum-default-initialization): the driver wants zeros
    CUDA_ARRAY3D_DESCRIPTOR form{};
    form.Width = t.extent[0], form.Height = flat ? 0 : t.extent[1];
    form.Depth = t.layers != 0 ? t.layers : deep ? t.extent[2] : 0;
    form.Format = format_of(t.dtype), form.NumChannels = t.channels;
    if (t.cube) form.Flags = CUDA_ARRAY3D_CUBEMAP | (t.layers > 6 ? CUDA_ARRAY3D_LAYERED : 0u);
    if (!t.cube && t.layers != 0) form.Flags = CUDA_ARRAY3D_LAYERED;
    if (use.surface) form.Flags |= CUDA_ARRAY3D_SURFACE_LDST;
    if (use.geometry == "2d" && !use.surface) form.Flags |= CUDA_ARRAY3D_TEXTURE_GATHER;
    require_object(d, d.make_array(&image.array, &form), t, "array");
    const size_t row = size_t{t.extent[0]} * texel_bytes(t);
    CUDA_MEMCPY3D& copy = image.fill;
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = texels, copy.srcPitch = row;
    copy.srcHeight = t.extent[1];
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = image.array;
    copy.WidthInBytes = row, copy.Height = t.extent[1], copy.Depth = slices(t);
    require(d, d.copy_array(&copy), "filling the array of a texture");
}

CUDA_RESOURCE_DESC resource_of(const Image& image, const Texture& t, uint64_t texels) {
    CUDA_RESOURCE_DESC out{};
    if (image.array != nullptr) {
        out.resType = CU_RESOURCE_TYPE_ARRAY, out.res.array.hArray = image.array;
        return out;
    }
    out.resType = CU_RESOURCE_TYPE_PITCH2D;
    out.res.pitch2D = {
        texels, format_of(t.dtype), t.channels, t.extent[0], t.extent[1], size_t{pitch(t)} * texel_bytes(t)};
    return out;
}

CUDA_TEXTURE_DESC sampling_of(const Texture& t) {
    CUDA_TEXTURE_DESC out{};
    for (size_t axis = 0; axis < 3; ++axis)
        out.addressMode[axis] = static_cast<CUaddress_mode>(t.address[axis]);
    out.filterMode = t.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
    out.flags = (is_float(t.dtype) || t.as_float ? 0u : CU_TRSF_READ_AS_INTEGER) |
        (t.normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0u);
    std::copy(t.border.begin(), t.border.end(), out.borderColor);
    return out;
}
static_assert(static_cast<int>(execution::AddressMode::wrap) == CU_TR_ADDRESS_MODE_WRAP);
static_assert(static_cast<int>(execution::AddressMode::clamp) == CU_TR_ADDRESS_MODE_CLAMP);
static_assert(static_cast<int>(execution::AddressMode::mirror) == CU_TR_ADDRESS_MODE_MIRROR);
static_assert(static_cast<int>(execution::AddressMode::border) == CU_TR_ADDRESS_MODE_BORDER);

// How the kernel uses handle `number`, from 1; nothing: it does not get it, or does nothing with it.
std::optional<HandleUse> use_of(
    const execution::Launch& launch, const std::map<uint64_t, HandleUse>& all, uint64_t number
) {
    std::optional<HandleUse> out;
    for (const auto& [byte, use] : all) {
        uint64_t word = 0;
        if (byte + sizeof word > launch.params.size()) continue;
        std::memcpy(&word, launch.params.data() + byte, sizeof word);
        if (word == (execution::kTextureBase | number)) out = use;
    }
    return out;
}

}  // namespace

std::map<uint64_t, HandleUse> handles_of(const ptx::Function& entry) {
    const auto held = loaded_handles(entry);
    std::map<uint64_t, HandleUse> out;
    for (const ptx::Instruction& in : entry.code) {
        if (!is_of_textures(in.op) && !is_of_surfaces(in.op)) continue;
        for (const ptx::Operand& o : in.operands) {
            if (o.kind != Kind::address || o.base_kind != Kind::reg) continue;
            const auto found = held.find(o.index);
            if (found == held.end() || !found->second) continue;
            HandleUse& use = out[*found->second];
            use.samples = use.samples || is_of_textures(in.op);
            use.surface = use.surface || is_of_surfaces(in.op);
            if (!in.modifiers.geometry.empty()) use.geometry = in.modifiers.geometry;
        }
    }
    return out;
}

Image::~Image() {
    if (session.stuck) return;
    if (texture != 0) session.d.destroy_texture(texture);
    if (surface != 0) session.d.destroy_surface(surface);
    if (array != nullptr) session.d.destroy_array(array);
}

void make_images(
    Images& out,
    const Session& s,
    const execution::Launch& launch,
    const execution::GlobalMemory& memory,
    const ptx::Function& entry,
    const std::function<uint64_t(uint64_t)>& place
) {
    const Driver& d = s.d;
    const std::map<uint64_t, HandleUse> uses = handles_of(entry);
    for (const Texture& t : memory.textures) {
        Image& image = out.emplace_back(s);
        const std::optional<HandleUse> use = use_of(launch, uses, out.size());
        if (!use || use->geometry.empty() || (use->samples && use->surface))
            throw Unsupported(fmt::format(
                "unsupported: {} on a GPU: the kernel itself does not say whether its handle is a texture's "
                "or a "
                "surface's, and of how many dimensions; --on cpu runs it in the emulator",
                t.name
            ));
        const uint64_t texels = place(t.data);
        if (t.pitch == 0 || use->surface) make_array(image, t, *use, texels);
        const CUDA_RESOURCE_DESC resource = resource_of(image, t, texels);
        const CUDA_TEXTURE_DESC sampling = sampling_of(t);
        if (use->surface)
            require_object(d, d.make_surface(&image.surface, &resource), t, "surface");
        else
            require_object(d, d.make_texture(&image.texture, &resource, &sampling, nullptr), t, "texture");
    }
}

void fetch_surfaces(const Images& images) {
    for (const Image& image : images) {
        if (image.surface == 0) continue;
        CUDA_MEMCPY3D back = image.fill;
        back.srcMemoryType = CU_MEMORYTYPE_ARRAY, back.srcArray = image.array,
        back.srcPitch = back.srcHeight = 0;
        back.dstMemoryType = CU_MEMORYTYPE_DEVICE, back.dstDevice = image.fill.srcDevice;
        back.dstPitch = image.fill.srcPitch, back.dstHeight = image.fill.srcHeight;
        back.srcDevice = 0, back.dstArray = nullptr;
        require(image.session.d, image.session.d.copy_array(&back), "fetching a surface");
    }
}

}  // namespace wl::gpu
