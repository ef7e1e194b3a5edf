// Functions that a file defines, by the tables in it. Nothing here allocates or throws: it runs inside the
// loader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <elf.h>

namespace wl::audit {

struct File {
    const char* bytes = nullptr;
    size_t size = 0;
};
// Mapped to be read; empty: it cannot be, or is no ELF file of 64 bits.
File map_file(const char* path);
void unmap(File file);

struct Symbols {
    const Elf64_Sym* all = nullptr;
    size_t count = 0;
    const char* names = nullptr;
    size_t names_size = 0;
};
// `type`: SHT_SYMTAB, which a stripped file lacks, or SHT_DYNSYM.
Symbols symbols_of(File file, uint32_t type);

inline bool is_function(const Elf64_Sym& s) {
    return ELF64_ST_TYPE(s.st_info) == STT_FUNC && s.st_shndx != SHN_UNDEF;
}

}  // namespace wl::audit
