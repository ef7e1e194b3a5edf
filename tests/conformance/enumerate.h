// The mnemonics that a row of the table spans.
#pragma once

#include "instrumentation/ptx/table/opcodes.h"

#include <string>
#include <string_view>
#include <vector>

namespace wl::conformance {

struct Variant {
    std::vector<ptx::Type> types;
    std::vector<std::string_view> words;  // one a modifier group; empty: absent
};

std::vector<std::string_view> split(std::string_view text, char separator);
bool has(const Variant& v, std::string_view word);
uint32_t vector_of(const Variant& v);  // elements of its v2, v4 or v8, else 1

// Of the ISA's chapters 9.7.1 to 9.7.8; of 9.7.18.
bool is_arithmetic(const ptx::Form& form);
bool is_video(const ptx::Form& form);

// All combinations of types; with each, all combinations of modifiers if there are at most `limit`, else the
// plainest one and every change of one or two groups from it, so that each pair of words occurs.
std::vector<Variant> variants_of(const ptx::Form& form, size_t limit = 64);

// As ptxas wants it: the order of the ISA's syntax line, which is the row's but for a few opcodes.
std::string mnemonic(const ptx::Form& form, const Variant& v);

}  // namespace wl::conformance
