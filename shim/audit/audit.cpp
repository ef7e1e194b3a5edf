// Three things that LD_LIBRARY_PATH cannot do. Libraries of CUDA that a program asks for by their whole path
// (packages of Python find them in others) are taken from the folder of this library, where it has one of the
// name. And: a CUDA runtime that is linked into a program, which is nvcc's default, or into an extension of
// Python (CuPy): its functions are found by their names in the file's symbol table, and each begins with a
// jump to that of libwarplens_cuda.so instead. And NVRTC, which has PTX of all that it compiles, gives that
// where a program takes machine code. The loader asks this library about every file that it maps
// (LD_AUDIT, rtld-audit(7)); it lives in a namespace of its own, so that nothing of it is seen by the
// program.
#include "shim/audit/symbols.h"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

namespace wl::audit {
namespace {

constexpr int kMost = 512;     // of redirected functions; the runtime has some 420
constexpr size_t kJump = 13;   // bytes: mov r11, address; jmp r11
constexpr size_t kThunk = 32;  // bytes of one: mov r11, number; jump
constexpr size_t kName = 64;
constexpr const char* kSign = "libcudart_static_";  // NVIDIA's names for what the library does not export

struct State {
    char path[PATH_MAX] = {};       // of libwarplens_cuda.so
    char names[kMost][kName] = {};  // that it exports
    int count = 0;
    unsigned char* thunks = nullptr;
};
State state;

bool is_of_runtime(const char* name) {
    return std::strncmp(name, "cuda", 4) == 0 || std::strncmp(name, "__cuda", 6) == 0;
}

// Streams run their work at once, so that the forms with a default stream a thread are like the others.
size_t length_of(const char* name) {
    const size_t length = std::strlen(name);
    const char* const end = length > 5 ? name + length - 5 : "";
    return std::strcmp(end, "_ptsz") == 0 || std::strcmp(end, "_ptds") == 0 ? length - 5 : length;
}

int number_of(const char* name) {
    const size_t length = length_of(name);
    for (int k = 0; k < state.count; ++k)
        if (std::strncmp(state.names[k], name, length) == 0 && state.names[k][length] == 0) return k;
    return -1;
}

void write_jump(unsigned char* at, const void* target) {
    const auto address = reinterpret_cast<uint64_t>(target);
    at[0] = 0x49, at[1] = 0xbb;
    std::memcpy(at + 2, &address, sizeof address);
    at[10] = 0x41, at[11] = 0xff, at[12] = 0xe3;
}

extern "C" void warplens_audit_common();
extern "C" void* warplens_audit_targets[kMost];
void* warplens_audit_targets[kMost];

// Each loads its number and goes on in `warplens_audit_common`.
bool make_thunks() {
    void* made = mmap(nullptr, kMost * kThunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return false;
    state.thunks = static_cast<unsigned char*>(made);
    for (uint32_t k = 0; k < kMost; ++k) {
        unsigned char* at = state.thunks + k * kThunk;
        at[0] = 0xb8;  // mov eax, k: no function of the runtime takes a variable number of arguments
        std::memcpy(at + 1, &k, sizeof k);
        write_jump(at + 5, reinterpret_cast<const void*>(&warplens_audit_common));
    }
    return mprotect(made, kMost * kThunk, PROT_READ | PROT_EXEC) == 0;
}

// Where a library of this one's folder lies; false: there is none of the name.
bool stand_in(const char* name, char (&path)[PATH_MAX]) {
    Dl_info here{};
    if (dladdr(reinterpret_cast<const void*>(&write_jump), &here) == 0) return false;
    const char* slash = std::strrchr(here.dli_fname, '/');
    const size_t folder = slash == nullptr ? 0 : static_cast<size_t>(slash - here.dli_fname) + 1;
    if (folder == 0 || folder + std::strlen(name) >= sizeof path) return false;
    std::memcpy(path, here.dli_fname, folder);
    std::strcpy(path + folder, name);
    return access(path, R_OK) == 0;
}

// The names that libwarplens_cuda.so has; it is loaded when one is called.
bool prepare() {
    if (state.thunks != nullptr) return true;
    if (!stand_in("libwarplens_cuda.so", state.path)) return false;
    const File file = map_file(state.path);
    if (file.bytes == nullptr) return false;
    const Symbols symbols = symbols_of(file, SHT_DYNSYM);
    for (size_t k = 0; k < symbols.count && state.count < kMost; ++k) {
        const char* name = symbols.names + symbols.all[k].st_name;
        if (!is_function(symbols.all[k]) || !is_of_runtime(name) || std::strlen(name) >= kName) continue;
        std::strcpy(state.names[state.count++], name);
    }
    unmap(file);
    return make_thunks();
}

unsigned char* place_of(const link_map& map, const Elf64_Sym& symbol) {
    return reinterpret_cast<unsigned char*>(map.l_addr + symbol.st_value);  // NOLINT: where it is mapped
}

void redirect(unsigned char* at, const void* target) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t begin = reinterpret_cast<uintptr_t>(at) / page * page;
    const uintptr_t end = reinterpret_cast<uintptr_t>(at) + kJump;
    auto* const pages = reinterpret_cast<void*>(begin);  // NOLINT: as above
    if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    write_jump(at, target);
    mprotect(pages, end - begin, PROT_READ | PROT_EXEC);
}

void look_at(const link_map& map) {
    const bool is_program = map.l_name == nullptr || map.l_name[0] == 0;
    const File file = map_file(is_program ? "/proc/self/exe" : map.l_name);
    if (file.bytes == nullptr) return;
    const Symbols symbols = symbols_of(file, SHT_SYMTAB);
    const bool holds = symbols.names != nullptr &&
        memmem(symbols.names, symbols.names_size, kSign, std::strlen(kSign)) != nullptr;
    if (holds && prepare())
        for (size_t k = 0; k < symbols.count; ++k) {
            const Elf64_Sym& s = symbols.all[k];
            if (!is_function(s) || s.st_size < kJump || s.st_name >= symbols.names_size) continue;
            const char* name = symbols.names + s.st_name;
            if (!is_of_runtime(name)) continue;
            if (const int number = number_of(name); number >= 0)
                redirect(place_of(map, s), state.thunks + static_cast<size_t>(number) * kThunk);
        }
    unmap(file);
}

const Elf64_Sym* function_named(const Symbols& symbols, const char* name) {
    for (size_t k = 0; k < symbols.count; ++k) {
        const Elf64_Sym& s = symbols.all[k];
        if (is_function(s) && s.st_size >= kJump && s.st_name < symbols.names_size &&
            std::strcmp(symbols.names + s.st_name, name) == 0)
            return &s;
    }
    return nullptr;
}

// What gives machine code begins with a jump to what gives PTX of the same program; both take the same.
void give_ptx(const link_map& map) {
    const File file = map_file(map.l_name);
    if (file.bytes == nullptr) return;
    const Symbols symbols = symbols_of(file, SHT_DYNSYM);
    const Elf64_Sym *size = function_named(symbols, "nvrtcGetCUBINSize"),
                    *bytes = function_named(symbols, "nvrtcGetCUBIN"),
                    *ptx_size = function_named(symbols, "nvrtcGetPTXSize"),
                    *ptx = function_named(symbols, "nvrtcGetPTX");
    if (size != nullptr && bytes != nullptr && ptx_size != nullptr && ptx != nullptr) {
        redirect(place_of(map, *size), place_of(map, *ptx_size));
        redirect(place_of(map, *bytes), place_of(map, *ptx));
    }
    unmap(file);
}

bool is_nvrtc(const char* path) {
    const char* slash = path == nullptr ? nullptr : std::strrchr(path, '/');
    return slash != nullptr && std::strncmp(slash, "/libnvrtc.so", 12) == 0;
}

}  // namespace
}  // namespace wl::audit

using namespace wl::audit;

// Arguments of the call are kept, as the function goes on with them. On entry the stack is 8 bytes off a
// multiple of 16; seven words make it one.
__asm__(R"(
.text
.globl warplens_audit_common
.hidden warplens_audit_common
warplens_audit_common:
    lea warplens_audit_targets(%rip), %r11
    mov (%r11,%rax,8), %r11
    test %r11, %r11
    jz 1f
    jmp *%r11
1:  push %rdi
    push %rsi
    push %rdx
    push %rcx
    push %r8
    push %r9
    push %rax
    mov %eax, %edi
    call warplens_audit_resolve
    mov %rax, %r11
    pop %rax
    pop %r9
    pop %r8
    pop %rcx
    pop %rdx
    pop %rsi
    pop %rdi
    jmp *%r11
)");

extern "C" {

void* warplens_audit_resolve(int number);
// The function in the program's own namespace.
__attribute__((visibility("hidden"))) void* warplens_audit_resolve(int number) {
    void* library = dlmopen(LM_ID_BASE, state.path, RTLD_NOW | RTLD_LOCAL);
    void* found = library == nullptr ? nullptr : dlsym(library, state.names[number]);
    if (found == nullptr) {
        constexpr char kSaid[] = "warplens: libwarplens_cuda.so cannot be loaded\n";
        const ssize_t written = write(STDERR_FILENO, kSaid, sizeof kSaid - 1);
        _exit(written > 0 ? 127 : 126);
    }
    return warplens_audit_targets[number] = found;
}

unsigned la_version(unsigned version) { return version < LAV_CURRENT ? version : LAV_CURRENT; }

// By a whole path, or where a program's own list (DT_RPATH) comes before LD_LIBRARY_PATH.
char* la_objsearch(const char* name, uintptr_t* /*cookie*/, unsigned /*why*/) {
    static thread_local char path[PATH_MAX];
    const char* slash = std::strrchr(name, '/');
    const bool asked = slash != nullptr &&
        (std::strncmp(slash, "/libcu", 6) == 0 || std::strncmp(slash, "/libnvJitLink", 13) == 0);
    return asked && stand_in(slash + 1, path) ? path : const_cast<char*>(name);
}

unsigned la_objopen(link_map* map, Lmid_t space, uintptr_t* /*cookie*/) {
    if (space == LM_ID_BASE) look_at(*map);
    if (space == LM_ID_BASE && is_nvrtc(map->l_name)) give_ptx(*map);
    return 0;
}
}
