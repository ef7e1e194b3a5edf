// PTX writes DWARF as lists of numbers and labels (`.b8 5`, `.b64 $L__tmp3`, `.b32 .debug_loc+131`); an ELF
// file of those bytes is what libdw understands.
#include "instrumentation/variables/sections.h"

#include "instrumentation/base/error.h"
#include "instrumentation/ptx/parse/expression.h"
#include "instrumentation/ptx/parse/lexer.h"

#include <cstring>
#include <elf.h>
#include <fmt/format.h>
#include <map>

namespace wl::variables {
namespace {

using ptx::Token;

// Bits 62 and 61 tell code from data, so that neither is taken for the ends that location lists use (0, ~0).
constexpr uint64_t kCode = uint64_t{1} << 62, kData = uint64_t{1} << 61;
constexpr int kCodeShift = 32, kDataShift = 40;
constexpr uint64_t kFunctions = uint64_t{1} << 24;

struct Symbols {
    std::map<std::string, uint64_t, std::less<>> values;
    std::vector<DataAddress> data;
};

void add_data(Symbols& symbols, const ptx::Variable& v) {
    if (!symbols.values.try_emplace(v.name, kData | uint64_t{symbols.data.size()} << kDataShift).second)
        return;
    symbols.data.push_back({v.name, v.space, 0});
}

Symbols symbols_of(const ptx::Module& module) {
    Symbols symbols;
    for (size_t f = 0; f < module.functions.size() && f < kFunctions; ++f) {
        const ptx::Function& function = module.functions[f];
        for (const auto& [label, instruction] : function.labels)
            symbols.values[label] = kCode | uint64_t{f} << kCodeShift | static_cast<uint32_t>(instruction);
        for (const ptx::Variable& v : function.variables) add_data(symbols, v);
        for (const ptx::Variable& v : function.params) add_data(symbols, v);
    }
    for (const ptx::Variable& v : module.variables) add_data(symbols, v);
    return symbols;
}

int width_of(std::string_view directive) {
    if (directive == ".b8") return 1;
    if (directive == ".b16") return 2;
    if (directive == ".b32") return 4;
    return directive == ".b64" ? 8 : 0;
}

// A number, or a label with `+ number` or `- label` behind it. Without symbols every label counts 0.
uint64_t value(ptx::Lexer& lexer, const Symbols* symbols) {
    const bool bracket = accept(lexer, "(");
    uint64_t sum = 0;
    bool minus = accept(lexer, "-");
    for (bool more = true; more;) {
        const Token token = lexer.token;
        uint64_t term = 0;
        if (token.kind == Token::Kind::number) {
            term = ptx::parse_number(token).bits;
        } else if (token.kind != Token::Kind::word) {
            ptx::fail_at(token, "expected a number or a label");
        } else if (symbols != nullptr) {
            const auto known = symbols->values.find(token.text);
            if (known == symbols->values.end())
                ptx::fail_at(token, "this label of a debug section is nowhere");
            term = known->second;
        }
        advance(lexer);
        sum = minus ? sum - term : sum + term;
        minus = is(lexer.token, "-");
        more = accept(lexer, "+") || accept(lexer, "-");
    }
    if (bracket) expect(lexer, ")");
    return sum;
}

// Calls label(name, offset) and number(width) in the section's order.
template <class Label, class Number>
void walk(std::string_view text, Label label, Number number) {
    ptx::Lexer lexer = ptx::start(text);
    int width = 0;
    while (lexer.token.kind != Token::Kind::end) {
        const Token token = lexer.token;
        if (token.kind == Token::Kind::word && width_of(token.text) != 0) {
            width = width_of(token.text);
            advance(lexer);
            do number(lexer, width);
            while (accept(lexer, ","));
            continue;
        }
        if (token.kind != Token::Kind::word) ptx::fail_at(token, "expected a label or .b8, .b16, .b32, .b64");
        advance(lexer);
        expect(lexer, ":");
        label(std::string(token.text));
    }
}

void add_labels(Symbols& symbols, const std::string& section, const std::string& text) {
    uint64_t at = 0;
    symbols.values[section] = 0;
    walk(
        text,
        [&](const std::string& name) { symbols.values[name] = at; },
        [&](ptx::Lexer& lexer, int width) {
            value(lexer, nullptr);
            at += static_cast<uint64_t>(width);
        }
    );
}

std::vector<std::byte> bytes_of(const Symbols& symbols, const std::string& text) {
    std::vector<std::byte> bytes;
    walk(
        text,
        [](const std::string&) {},
        [&](ptx::Lexer& lexer, int width) {
            const uint64_t v = value(lexer, &symbols);
            const size_t at = bytes.size();
            bytes.resize(at + static_cast<size_t>(width));
            std::memcpy(bytes.data() + at, &v, static_cast<size_t>(width));
        }
    );
    return bytes;
}

template <class T>
void put(std::vector<std::byte>& out, size_t at, const T& record) {
    std::memcpy(out.data() + at, &record, sizeof(T));
}

struct Section {
    std::string name;
    std::vector<std::byte> bytes;
};

std::vector<std::byte> elf_of(std::vector<Section> sections) {
    std::vector<std::byte> names(1);
    std::vector<Elf64_Shdr> headers(1);
    sections.push_back({".shstrtab", {}});
    for (const Section& s : sections) {
        Elf64_Shdr& header = headers.emplace_back();
        header.sh_name = static_cast<uint32_t>(names.size());
        header.sh_type = s.name == ".shstrtab" ? SHT_STRTAB : SHT_PROGBITS;
        header.sh_addralign = 1;
        const auto* text = reinterpret_cast<const std::byte*>(s.name.c_str());
        names.insert(names.end(), text, text + s.name.size() + 1);
    }
    sections.back().bytes = names;
    std::vector<std::byte> out(sizeof(Elf64_Ehdr));
    for (size_t k = 0; k < sections.size(); ++k) {
        headers[k + 1].sh_offset = out.size();
        headers[k + 1].sh_size = sections[k].bytes.size();
        out.insert(out.end(), sections[k].bytes.begin(), sections[k].bytes.end());
    }
    out.resize((out.size() + 7) / 8 * 8);
    Elf64_Ehdr header = {};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_CUDA;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof(Elf64_Ehdr);
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(headers.size());
    header.e_shstrndx = static_cast<uint16_t>(headers.size() - 1);
    header.e_shoff = out.size();
    put(out, 0, header);
    for (const Elf64_Shdr& h : headers) {
        out.resize(out.size() + sizeof(h));
        put(out, out.size() - sizeof(h), h);
    }
    return out;
}

}  // namespace

Image debug_image(const ptx::Module& module) {
    if (module.sections.count(".debug_info") == 0) return {};
    Symbols symbols = symbols_of(module);
    symbols.values[".debug_line"] = 0;  // ptxas makes it from .loc; nothing here reads it
    try {
        for (const auto& [name, text] : module.sections) add_labels(symbols, name, text);
        std::vector<Section> sections;
        for (const auto& [name, text] : module.sections)
            if (name.starts_with(".debug_")) sections.push_back({name, bytes_of(symbols, text)});
        return {elf_of(std::move(sections)), std::move(symbols.data)};
    } catch (const Error& error) {
        throw Error(fmt::format(
            "The debug sections of the PTX are malformed (lines count from the section): {}", error.what()
        ));
    }
}

std::optional<CodeAddress> code_address(uint64_t address) {
    if ((address & kCode) == 0) return std::nullopt;
    const uint64_t function = (address & ~kCode) >> kCodeShift;
    return CodeAddress{static_cast<int>(function), static_cast<int32_t>(address)};
}

std::optional<DataAddress> data_address(const Image& image, uint64_t address) {
    const uint64_t symbol = (address & ~kData) >> kDataShift;
    if ((address & kData) == 0 || symbol >= image.data.size()) return std::nullopt;
    DataAddress found = image.data[symbol];
    found.offset = address & ((uint64_t{1} << kDataShift) - 1);
    return found;
}

}  // namespace wl::variables
