// The bytes of a tile: copied, filled, or reduced into a tensor, element by element.
#include "instrumentation/base/tensor_map.h"
#include "instrumentation/emulator/exec/memory/atomic_words.h"
#include "instrumentation/emulator/exec/memory/copy_tensor.h"

#include <cstring>

namespace wl::emulator {
namespace {

using ptx::AtomOp;

template <class Word>
void reduce_word(std::byte* at, const std::byte* by, Combine<Word> combine) {
    Word old, b;
    std::memcpy(&old, at, sizeof old), std::memcpy(&b, by, sizeof b);
    old = combine(old, b, 0, true);
    std::memcpy(at, &old, sizeof old);
}

void reduce_element(uint8_t type, AtomOp op, std::byte* to, const std::byte* by) {
    const std::string_view name = name_of_tensor_type(type);
    if (name == "f16") return reduce_word<uint16_t>(to, by, combine_halves<Half>(op));
    if (name == "bf16") return reduce_word<uint16_t>(to, by, combine_halves<Bf16>(op));
    if (name == "f32") return reduce_word<uint32_t>(to, by, add_single);
    if (name == "f64") return reduce_word<uint64_t>(to, by, add_double);
    if (name == "s32") return reduce_word<uint32_t>(to, by, combine_integers<int32_t>(op));
    if (name == "u32") return reduce_word<uint32_t>(to, by, combine_integers<uint32_t>(op));
    if (name == "s64") return reduce_word<uint64_t>(to, by, combine_integers<int64_t>(op));
    if (name == "u64") return reduce_word<uint64_t>(to, by, combine_integers<uint64_t>(op));
}

}  // namespace

void move_tile(const TensorTile& tile, std::byte* shared, bool out) {
    const uint32_t element = bytes_of_tensor_type(tile.type);
    const std::string_view name = name_of_tensor_type(tile.type);
    for (const TilePiece& p : tile.pieces) {
        std::byte* const here = shared + p.shared;
        if (!out && p.global != nullptr) {
            std::memcpy(here, p.global, p.bytes);
        } else if (!out) {
            std::memset(here, 0, p.bytes);
            if (!tile.as_nan || name.find('f') == std::string_view::npos) continue;
            for (uint32_t k = 0; k < p.bytes; k += element) {
                std::memset(here + k, 0xff, element);
                here[k + element - 1] = std::byte{0x7f};
            }
        } else if (p.global != nullptr && tile.reduces == AtomOp::none) {
            std::memcpy(p.global, here, p.bytes);
        } else if (p.global != nullptr) {
            for (uint32_t k = 0; k < p.bytes; k += element)
                reduce_element(tile.type, tile.reduces, p.global + k, here + k);
        }
    }
}

}  // namespace wl::emulator
