// The slots as the ELF standard and the psABIs lay them out (DT_JMPREL); dlopen with RTLD_NOW has filled
// them.
#include "instrumentation/base/os/library_opens.h"

#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <mutex>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

// NOLINTBEGIN(performance-no-int-to-ptr,modernize-avoid-variadic-functions): the loader's tables hold
// addresses, and open() is variadic
namespace wl {
namespace {

std::atomic<void (*)(const char*)> noted{nullptr};

int noted_open(const char* path, int how, ...) {
    mode_t mode = 0;
    if ((how & (O_CREAT | O_TMPFILE)) != 0) {
        va_list more;
        va_start(more, how);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    if ((how & O_ACCMODE) == O_RDONLY) noted.load()(path);
    return open(path, how, mode);
}

std::FILE* noted_fopen(const char* path, const char* how) {
    if (how[0] == 'r') noted.load()(path);
    return std::fopen(path, how);
}

struct Slot {
    std::string_view name;
    void* function;
};
const std::array kSlots{
    Slot{"open",    reinterpret_cast<void*>(noted_open) },
    Slot{"open64",  reinterpret_cast<void*>(noted_open) },
    Slot{"fopen",   reinterpret_cast<void*>(noted_fopen)},
    Slot{"fopen64", reinterpret_cast<void*>(noted_fopen)},
};

// What the dynamic section says of the slots. glibc has made these addresses of the process.
struct Slots {
    std::span<const ElfW(Rela)> relocations;
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
};
Slots slots_of(const link_map& map) {
    Slots out;
    const ElfW(Rela)* first = nullptr;
    size_t bytes = 0;
    for (const ElfW(Dyn)* d = map.l_ld; d->d_tag != DT_NULL; ++d) {
        const auto address = d->d_un.d_ptr;
        if (d->d_tag == DT_JMPREL) first = reinterpret_cast<const ElfW(Rela)*>(address);
        if (d->d_tag == DT_PLTRELSZ) bytes = d->d_un.d_val;
        if (d->d_tag == DT_SYMTAB) out.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        if (d->d_tag == DT_STRTAB) out.names = reinterpret_cast<const char*>(address);
        if (d->d_tag == DT_PLTREL && d->d_un.d_val != DT_RELA) return {};
    }
    if (first != nullptr && out.symbols != nullptr && out.names != nullptr)
        out.relocations = {first, bytes / sizeof(ElfW(Rela))};
    return out;
}

bool lead(void** slot, void* function) {
    if (*slot == function) return true;
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    void* const begin = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) / page * page);
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
    *slot = function;
    return true;
}

}  // namespace

bool note_opens_of(Library library, void (*note)(const char* path)) {
    static std::mutex one;  // at a time
    const std::scoped_lock hold(one);
    noted = note;
    link_map* map = nullptr;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return false;
    const Slots slots = slots_of(*map);
    bool any = false, all = true;
    for (const ElfW(Rela) & r : slots.relocations) {
        const std::string_view name = slots.names + slots.symbols[ELF64_R_SYM(r.r_info)].st_name;
        for (const Slot& slot : kSlots)
            if (name == slot.name) {
                any = true;
                all = lead(reinterpret_cast<void**>(map->l_addr + r.r_offset), slot.function) && all;
            }
    }
    return any && all;
}

// NOLINTEND(performance-no-int-to-ptr,modernize-avoid-variadic-functions)
}  // namespace wl
