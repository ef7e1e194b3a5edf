// Text of micro-kernels and the identity of a case.
#include "tests/conformance/kernel.h"

#include <cassert>
#include <cstring>
#include <xxhash.h>

namespace wl::conformance {
namespace {

using ptx::Type;

uint32_t stored_bytes(Type type) { return type == Type::pred ? 1 : std::max(1u, bytes_of(type)); }

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

}  // namespace

uint32_t threads(const Kernel& k) { return static_cast<uint32_t>(count(k.grid) * count(k.block)); }

void line(Kernel& k, const std::string& text) {
    k.code += "    " + text + (text.ends_with(':') ? "\n" : ";\n");
}

std::string storage(Type type) {
    if (type == Type::pred) return "pred";
    const uint32_t bytes = bytes_of(type);
    return bytes <= 1 ? "b8" : "b" + std::to_string(8 * bytes);
}

std::string new_register(Kernel& k, Type type) {
    std::string name = "%v" + std::to_string(k.fresh++);
    const std::string size = storage(type);
    k.registers += "    .reg ." + (size == "b8" ? "b32" : size) + " " + name + ";\n";
    return name;
}

std::vector<std::byte> packed(Type type, const std::vector<uint64_t>& values) {
    const uint32_t width = stored_bytes(type);
    std::vector<std::byte> bytes(values.size() * width);
    for (size_t i = 0; i < values.size(); ++i)
        std::memcpy(&bytes[i * width], &values[i], std::min(width, 8u));
    return bytes;
}

std::string buffer(Kernel& k, Buffer b) {
    const std::string index = std::to_string(k.buffers.size());
    k.buffers.push_back(std::move(b));
    const std::string address = new_register(k, Type::b64);
    line(k, "ld.param.u64 " + address + ", [p" + index + "]");
    return address;
}

std::string image(Kernel& k, Image i) {
    const std::string handle = new_register(k, Type::b64);
    line(k, "ld.param.u64 " + handle + ", [t" + std::to_string(k.images.size()) + "]");
    k.images.push_back(std::move(i));
    return handle;
}

std::string zeroed(Kernel& k, Type type, size_t bytes) {
    return buffer(k, {type, std::vector<std::byte>(bytes), true});
}

std::string element_address(Kernel& k, const std::string& base, uint32_t bytes) {
    const std::string address = new_register(k, Type::b64);
    line(k, "mad.lo.u64 " + address + ", %index, " + std::to_string(bytes) + ", " + base);
    return address;
}

std::string input(Kernel& k, Type type, const std::vector<uint64_t>& values) {
    assert(values.size() == threads(k));
    const std::string base = buffer(k, {type == Type::pred ? Type::u8 : type, packed(type, values), false});
    const std::string address = element_address(k, base, stored_bytes(type));
    const std::string reg = new_register(k, type);
    if (type == Type::pred) {
        const std::string byte = new_register(k, Type::b16);
        line(k, "ld.global.u8 " + byte + ", [" + address + "]");
        line(k, "setp.ne.u16 " + reg + ", " + byte + ", 0");
    } else {
        const std::string size = storage(type);
        line(k, "ld.global." + (size == "b8" ? "u8" : size) + " " + reg + ", [" + address + "]");
    }
    return reg;
}

void output(Kernel& k, Type type, const std::string& reg) {
    const Type kept = type == Type::pred ? Type::u8 : type;
    const std::string base = zeroed(k, kept, size_t{threads(k)} * stored_bytes(kept));
    const std::string address = element_address(k, base, stored_bytes(kept));
    std::string value = reg;
    if (type == Type::pred) {
        value = new_register(k, Type::b16);
        line(k, "selp.u16 " + value + ", 1, 0, " + reg);
    }
    const std::string size = storage(kept);
    line(k, "st.global." + (size == "b8" ? "u8" : size) + " [" + address + "], " + value);
}

std::vector<std::string> inputs(Kernel& k, const std::vector<Operand>& operands, uint64_t seed) {
    const auto values = operand_values(operands, threads(k), seed);
    std::vector<std::string> registers;
    for (size_t o = 0; o < operands.size(); ++o) registers.push_back(input(k, operands[o].type, values[o]));
    return registers;
}

std::string scratch(Kernel& k, ptx::Space space, uint32_t bytes) {
    const bool shared = space == ptx::Space::shared;
    const uint64_t size = shared ? count(k.block) * bytes : bytes;
    k.registers += std::string("    .") + (shared ? "shared" : "local") + " .align 16 .b8 scratch[" +
        std::to_string(size) + "];\n";
    const std::string base = new_register(k, Type::b64);
    line(k, "mov.u64 " + base + ", scratch");
    if (!shared) return base;
    const std::string lane = new_register(k, Type::b32), address = new_register(k, Type::b64);
    line(k, "mov.u32 " + lane + ", %tid.x");
    line(k, "mad.wide.u32 " + address + ", " + lane + ", " + std::to_string(bytes) + ", " + base);
    return address;
}

void copy_in(Kernel& k, const Copy& copy, const std::vector<std::byte>& from) {
    const std::string source = element_address(k, buffer(k, {Type::b8, from, false}), copy.bytes);
    const std::string word = new_register(k, Type::b32);
    const uint32_t step = copy.bytes % 4 == 0 ? 4 : 1;
    const std::string type = step == 4 ? ".b32 " : ".u8 ";
    for (uint32_t at = 0; at < copy.bytes; at += step) {
        line(k, "ld.global" + type + word + ", [" + source + "+" + std::to_string(at) + "]");
        line(k, "st" + copy.space + type + "[" + copy.address + "+" + std::to_string(at) + "], " + word);
    }
}

void copy_out(Kernel& k, const Copy& copy, Type type) {
    const std::string target =
        element_address(k, zeroed(k, type, size_t{threads(k)} * copy.bytes), copy.bytes);
    const std::string word = new_register(k, Type::b32);
    const uint32_t step = copy.bytes % 4 == 0 ? 4 : 1;
    const std::string size = step == 4 ? ".b32 " : ".u8 ";
    for (uint32_t at = 0; at < copy.bytes; at += step) {
        line(k, "ld" + copy.space + size + word + ", [" + copy.address + "+" + std::to_string(at) + "]");
        line(k, "st.global" + size + "[" + target + "+" + std::to_string(at) + "], " + word);
    }
}

std::vector<std::byte> random_bytes(size_t count, uint64_t seed) {
    Random random{seed};
    std::vector<std::byte> bytes(count);
    for (std::byte& b : bytes) b = static_cast<std::byte>(next(random));
    return bytes;
}

std::string braced(const std::vector<std::string>& registers) {
    if (registers.size() == 1) return registers[0];
    std::string text = "{";
    for (size_t i = 0; i < registers.size(); ++i) text += (i ? ", " : "") + registers[i];
    return text + "}";
}

std::string module_header() { return ".version 9.0\n.target sm_90a\n.address_size 64\n"; }

Case finish(const Kernel& k, const ptx::Form& form, std::string name) {
    Case c;
    c.form = &form;
    c.name = std::move(name);
    c.buffers = k.buffers;
    c.images = k.images;
    c.value = k.value;
    c.grid = k.grid;
    c.block = k.block;
    std::string params;
    for (size_t i = 0; i < k.buffers.size(); ++i)
        params += std::string(i ? ", " : "") + ".param .u64 p" + std::to_string(i);
    for (size_t i = 0; i < k.images.size(); ++i)
        params += std::string(params.empty() ? "" : ", ") + ".param .u64 t" + std::to_string(i);
    if (!k.value.empty()) params += ", .param .align 16 .b8 q[" + std::to_string(k.value.size()) + "]";
    c.text = k.module + ".visible .entry " + std::string(kEntry) + "(" + params + ")\n{\n" +
        "    .reg .b32 %thread, %extent, %group;\n    .reg .b64 %index;\n" + k.registers +
        "    mov.u32 %thread, %tid.x;\n    mov.u32 %extent, %ntid.x;\n    mov.u32 %group, %ctaid.x;\n"
        "    mad.lo.u32 %thread, %group, %extent, %thread;\n    cvt.u64.u32 %index, %thread;\n" +
        k.code + "    ret;\n}\n";
    return c;
}

std::string entry_text(const Case& c, std::string_view name) { return replaced(c.text, kEntry, name); }

std::vector<const Buffer*> compared(const Case& c) {
    std::vector<const Buffer*> all;
    for (const Buffer& b : c.buffers)
        if (b.compared) all.push_back(&b);
    for (const Image& i : c.images)
        if (i.texels.compared) all.push_back(&i.texels);
    return all;
}

uint64_t hash_of(const Case& c) {
    uint64_t hash = XXH3_64bits(c.text.data(), c.text.size());
    const auto add = [&hash](const void* data, size_t size) {
        hash = XXH3_64bits_withSeed(data, size, hash);
    };
    const uint32_t launch[6] = {c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z};
    add(launch, sizeof launch);
    add(c.value.data(), c.value.size());
    for (const Buffer& b : c.buffers) {
        add(&b.compared, sizeof b.compared);
        add(b.bytes.data(), b.bytes.size());
    }
    for (const Image& i : c.images) {
        const execution::Texture& t = i.texture;
        const std::array<uint32_t, 12> form = {
            static_cast<uint32_t>(t.dtype),
            t.channels,
            t.extent[0],
            t.extent[1],
            t.extent[2],
            t.layers,
            uint32_t{t.as_float} | uint32_t{t.normalized} << 1 | uint32_t{t.linear} << 2,
            static_cast<uint32_t>(t.address[0]),
            static_cast<uint32_t>(t.address[1]),
            static_cast<uint32_t>(t.address[2]),
            static_cast<uint32_t>(i.dimensions),
            uint32_t{i.surface} | uint32_t{i.in_array} << 1 | uint32_t{i.texels.compared} << 2};
        add(form.data(), sizeof form);
        add(t.border.data(), sizeof t.border);
        add(i.texels.bytes.data(), i.texels.bytes.size());
    }
    return hash;
}

uint64_t seed_of(std::string_view name) { return XXH3_64bits(name.data(), name.size()); }

}  // namespace wl::conformance
