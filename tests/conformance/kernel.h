// Writes the PTX of a micro-kernel: one element a thread, operands loaded from the buffers, results stored.
#pragma once

#include "tests/conformance/case.h"
#include "tests/conformance/enumerate.h"
#include "tests/conformance/inputs.h"

namespace wl::conformance {

struct Kernel {
    std::string module;     // declarations of module scope, before the entry
    std::string registers;  // declarations of the body
    std::string code;
    std::vector<Buffer> buffers;
    std::vector<Image> images;
    std::vector<std::byte> value;  // a parameter by value, "q", after the buffers' addresses
    Dim3 grid, block{64, 1, 1};
    int fresh = 0;
};

uint32_t threads(const Kernel& k);
void line(Kernel& k, const std::string& text);  // one statement, without its semicolon

// A new register that holds a value of the type (untyped .b8 to .b128, or .pred).
std::string new_register(Kernel& k, ptx::Type type);

// The size class of a type: "b16", "b32", ..., "pred".
std::string storage(ptx::Type type);

// A buffer of one element a thread with these values; loads the thread's own.
std::string input(Kernel& k, ptx::Type type, const std::vector<uint64_t>& values);

// A buffer of one element a thread; stores the register to the thread's own. Predicates become bytes 0 or 1.
void output(Kernel& k, ptx::Type type, const std::string& reg);

// A buffer as a whole; returns the register with its address.
std::string buffer(Kernel& k, Buffer b);
std::string image(Kernel& k, Image i);                        // likewise; the register with its handle
std::string zeroed(Kernel& k, ptx::Type type, size_t bytes);  // compared
std::string element_address(
    Kernel& k, const std::string& base, uint32_t bytes
);  // of the thread: base + index * bytes

std::vector<std::byte> packed(ptx::Type type, const std::vector<uint64_t>& values);

// Inputs of all operands at once.
std::vector<std::string> inputs(Kernel& k, const std::vector<Operand>& operands, uint64_t seed);

// `bytes` a thread of shared or local memory, named "scratch": each thread's part is at its index (shared) or
// at the start (local). Returns the register with the address of the thread's part in that space.
std::string scratch(Kernel& k, ptx::Space space, uint32_t bytes);

// Copies between the thread's part of a space and of a buffer, word by word (or byte by byte). `space` is as
// written after ld or st: ".shared", ".local", "" for generic.
struct Copy {
    std::string space, address;
    uint32_t bytes = 4;
};
void copy_in(Kernel& k, const Copy& copy, const std::vector<std::byte>& from);  // one part a thread
void copy_out(Kernel& k, const Copy& copy, ptx::Type type);

std::vector<std::byte> random_bytes(size_t count, uint64_t seed);

// A vector of registers: {%v1, %v2}, or the register alone.
std::string braced(const std::vector<std::string>& registers);

Case finish(const Kernel& k, const ptx::Form& form, std::string name);

uint64_t seed_of(std::string_view name);

}  // namespace wl::conformance
