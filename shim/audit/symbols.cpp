// ELF sections.
#include "shim/audit/symbols.h"

#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace wl::audit {

File map_file(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return {};
    struct stat about {};
    File out;
    if (fstat(file, &about) == 0 && about.st_size > static_cast<off_t>(sizeof(Elf64_Ehdr))) {
        out.size = static_cast<size_t>(about.st_size);
        void* made = mmap(nullptr, out.size, PROT_READ, MAP_PRIVATE, file, 0);
        out.bytes = made == MAP_FAILED ? nullptr : static_cast<const char*>(made);
    }
    close(file);
    const bool fits = out.bytes != nullptr && std::memcmp(out.bytes, ELFMAG, SELFMAG) == 0 &&
        out.bytes[EI_CLASS] == ELFCLASS64;
    if (fits) return out;
    unmap(out);
    return {};
}

void unmap(File file) {
    if (file.bytes != nullptr) munmap(const_cast<char*>(file.bytes), file.size);
}

Symbols symbols_of(File file, uint32_t type) {
    Elf64_Ehdr header;
    std::memcpy(&header, file.bytes, sizeof header);
    const size_t end = header.e_shoff + size_t{header.e_shnum} * sizeof(Elf64_Shdr);
    if (header.e_shoff == 0 || header.e_shentsize != sizeof(Elf64_Shdr) || end > file.size) return {};
    const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file.bytes + header.e_shoff);
    for (unsigned k = 0; k < header.e_shnum; ++k) {
        const Elf64_Shdr& s = sections[k];
        if (s.sh_type != type || s.sh_link >= header.e_shnum || s.sh_offset + s.sh_size > file.size) continue;
        const Elf64_Shdr& names = sections[s.sh_link];
        if (names.sh_offset + names.sh_size > file.size || names.sh_size == 0) continue;
        return {
            reinterpret_cast<const Elf64_Sym*>(file.bytes + s.sh_offset),
            s.sh_size / sizeof(Elf64_Sym),
            file.bytes + names.sh_offset,
            names.sh_size};
    }
    return {};
}

}  // namespace wl::audit
