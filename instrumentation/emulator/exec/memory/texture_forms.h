// What texture and surface instructions share: their operands, and the texels behind a handle.
#pragma once

#include "instrumentation/emulator/machine/access.h"
#include "instrumentation/emulator/program/lowering.h"

namespace wl::emulator {

// Handle and coordinates of operand k, [a, {x, y}], by the geometry in the mnemonic; false: one that has no
// executor. Without coordinates (txq, suq) only the handle.
bool lower_handle(Lowering& l, size_t k, TextureForm& form);
bool lower_coordinates(Lowering& l, size_t k, ptx::Type type, TextureForm& form);
// Slots of the registers of operand k, a vector or one; false: one that has another size than `form.bytes`.
bool lower_data(Lowering& l, size_t k, bool written, TextureForm& form);
// Makes the form the instruction's.
void keep(Lowering& l, TextureForm form);

inline const TextureForm& form_of(const Warp& w, const Instr* i) {
    return w.block->context.program->texture_forms[static_cast<size_t>(i->target)];
}

// The texture of one lane; `texture` null: there is none, and an incident says so.
struct TextureView {
    uint64_t handle = 0;
    const Texture* texture = nullptr;
    Allocation* allocation = nullptr;
    std::byte* texels = nullptr;
};
TextureView view_texture(Warp& w, const Instr* i, int lane, const TextureView& last);

// txq and suq.
Selected lower_query(Lowering& l);

}  // namespace wl::emulator
