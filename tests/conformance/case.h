// One micro-kernel of the conformance suite: its PTX, its inputs and which of its buffers are compared.
#pragma once

#include "instrumentation/base/dim3.h"
#include "instrumentation/emulator/exec/memory/texture_sample.h"
#include "instrumentation/ptx/table/opcodes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wl::conformance {

// An allocation whose address is one 64-bit parameter of the kernel, in order.
struct Buffer {
    ptx::Type type = ptx::Type::b32;  // of one element, for comparisons and messages
    std::vector<std::byte> bytes;     // before the launch
    bool compared = false;            // the bytes after the launch are the case's result
};

// A texture or surface whose handle is one 64-bit parameter of the kernel, in order, after the buffers.
struct Image {
    execution::Texture texture;  // without an address
    Buffer texels;
    int dimensions = 1;
    bool surface = false;
    bool in_array = true;  // false: in linear memory
};

struct Case {
    const ptx::Form* form = nullptr;  // the row that the tested instruction must decode to
    std::string name;  // unique: the mnemonic, then what else distinguishes it: "lop3.b32 #0x96"
    std::string text;  // PTX of the entry, every name of module scope starting with kEntry
    std::vector<Buffer> buffers;
    std::vector<Image> images;
    std::vector<std::byte> value;  // one more parameter, 16-byte aligned; may be empty
    Dim3 grid, block;
    bool risky = false;  // may fault or hang where the table is wrong: run last, alone
};

inline constexpr std::string_view kEntry = "NAME";

std::string module_header();  // .version, .target, .address_size

// The buffers that are compared, then the images.
std::vector<const Buffer*> compared(const Case& c);

// The entry with kEntry replaced.
std::string entry_text(const Case& c, std::string_view name);

// Hash of everything that decides the result: text, launch, buffers. A stored result counts only for it.
uint64_t hash_of(const Case& c);

// Every case of one row; empty: the row has no template (the forms test lists it).
std::vector<Case> cases_of(const ptx::Form& form);

}  // namespace wl::conformance
