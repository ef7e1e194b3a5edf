// Variables, parameters and their initial values as text.
#include "instrumentation/base/error.h"
#include "instrumentation/ptx/print/printer.h"
#include "instrumentation/ptx/table/names.h"

#include <array>
#include <cstdio>

namespace wl::ptx {
namespace {

constexpr uint64_t kMostGaps = uint64_t{1} << 20;  // bytes between initial values, each spelt as a zero

bool is_opaque(Type type) {
    return type == Type::texref || type == Type::samplerref || type == Type::surfref;
}

std::string print_element(Type type, uint64_t bits) {
    std::array<char, 24> text{};
    const auto value = static_cast<unsigned long long>(bits);
    if (type == Type::f32 || type == Type::tf32)
        std::snprintf(text.data(), text.size(), "0f%08llX", value);
    else if (type == Type::f64)
        std::snprintf(text.data(), text.size(), "0d%016llX", value);
    else
        std::snprintf(text.data(), text.size(), "%llu%s", value, value >> 63 != 0 ? "U" : "");
    return text.data();
}

std::string print_address(const Module& m, const Variable& v, const Initialiser& init) {
    const std::string& name =
        init.is_function ? m.functions.at(init.address_of).name : m.variables.at(init.address_of).name;
    std::string text = init.generic ? "generic(" + name + ")" : name;
    if (init.addend != 0) text += "+" + std::to_string(init.addend);
    if (bytes_of(v.type) != 1) return text;
    std::array<char, 24> mask{};
    std::snprintf(mask.data(), mask.size(), "0x%llX", 0xffULL << init.shift);
    return mask.data() + ("(" + text + ")");
}

std::vector<std::string> print_elements(const Module& m, const Variable& v) {
    const uint64_t size = bytes_of(v.type);
    std::vector<std::string> elements;
    uint64_t gaps = 0;
    for (const Initialiser& init : v.init) {
        const uint64_t at = elements.size() * size;
        if (init.offset > at) gaps += init.offset - at;
        if (gaps > kMostGaps)
            throw Error(
                "The initial values of " + v.name +
                " leave more than 2^20 bytes between them: too many zeros to print."
            );
        while (elements.size() * size < init.offset) elements.push_back(print_element(v.type, 0));
        if (init.address_of >= 0) elements.push_back(print_address(m, v, init));
        for (size_t byte = 0; byte + size <= init.bytes.size(); byte += size) {
            uint64_t bits = 0;
            for (size_t i = 0; i < size && i < 8; ++i)
                bits |= static_cast<uint64_t>(init.bytes[byte + i]) << (8 * i);
            elements.push_back(print_element(v.type, bits));
        }
    }
    return elements;
}

}  // namespace

std::string print_declarator(const Variable& v) {
    const uint64_t size = bytes_of(v.type);
    std::string text = v.is_managed ? ".attribute(.managed) " : "";
    if (!v.is_register) text += ".align " + std::to_string(v.align) + " ";
    text += "." + std::string(name_of(v.type)) + " " + v.name;
    if (v.bytes == 0)
        text += "[]";
    else if (v.bytes != size)
        text += "[" + std::to_string(v.bytes / size) + "]";
    return text;
}

std::string print_parameters(const std::vector<Variable>& parameters) {
    std::string text = "(";
    for (const Variable& v : parameters)
        text += (&v == parameters.data() ? "" : ", ") + std::string(v.is_register ? ".reg " : ".param ") +
            print_declarator(v);
    return text + ")";
}

std::string print_variable(const Module& m, const Variable& v) {
    std::string text = v.linkage.empty() ? "" : v.linkage + " ";
    text += std::string(name_of(v.space)) + " " + print_declarator(v);
    if (v.init.empty() || is_opaque(v.type)) return text + ";\n";
    const std::vector<std::string> elements = print_elements(m, v);
    const bool braces = v.bytes != bytes_of(v.type);
    text += braces ? " = {" : " = ";
    for (size_t i = 0; i < elements.size(); ++i) text += (i == 0 ? "" : ", ") + elements[i];
    return text + (braces ? "};\n" : ";\n");
}

}  // namespace wl::ptx
