// The stand-in's own heap, beside the program's. A program that reads memory that it never wrote, or writes a
// little over the end of an array, finds in its heap what it finds there without us: what the emulator
// allocates lies elsewhere. libstdc++ is linked in, so that strings and containers of this library are made
// and given back here; what a shared library made (fmt's strings) is known by its missing mark, and goes back
// to the program's heap.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

namespace wl::guard {
namespace {

// Before what is given out.
struct Head {
    uint64_t mark;    // of the address
    uint32_t pages;   // of a mapping of its own; 0: a block of a class
    uint16_t offset;  // from the block's begin, units of 16 bytes
    uint8_t kind, arena;
};
static_assert(sizeof(Head) == 16);

constexpr uint64_t kMark = 0x9e6b'17c3'52d8'f0a5;
constexpr size_t kStep = 32, kFine = 1024, kChunk = 1 << 20, kLargest = 32 << 20, kPage = 4096;
constexpr size_t kClasses = kFine / kStep + 4 * 16, kArenas = 8;

// Classes: multiples of 32 up to 1 KiB, then four for each power of two.
size_t class_of(size_t bytes) {
    if (bytes <= kFine) return (bytes + kStep - 1) / kStep - 1;
    const int power = std::bit_width(bytes - 1) - 1;
    const size_t quarter = (size_t{1} << power) / 4;
    return kFine / kStep + static_cast<size_t>(power - 10) * 4 + (bytes - 1 - (size_t{1} << power)) / quarter;
}
size_t bytes_of(size_t kind) {
    if (kind < kFine / kStep) return (kind + 1) * kStep;
    const size_t above = kind - kFine / kStep, power = size_t{1} << (10 + above / 4);
    return power + power / 4 * (above % 4 + 1);
}

struct Arena {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    std::array<void*, kClasses> free{};  // each begins with the address of the next
    char *next = nullptr, *end = nullptr;
};
constinit std::array<Arena, kArenas> arenas;
constinit std::atomic<unsigned> threads = 0;
thread_local constinit int own = -1;

char* map(size_t bytes) {
    void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return got == MAP_FAILED ? nullptr : static_cast<char*>(got);
}

char* take_block(Arena& a, size_t kind) {
    const size_t bytes = bytes_of(kind);
    if (void* first = a.free[kind]; first != nullptr) {
        a.free[kind] = *static_cast<void**>(first);
        return static_cast<char*>(first);
    }
    if (bytes > kChunk / 4) return map(bytes);
    if (static_cast<size_t>(a.end - a.next) < bytes) {
        char* chunk = map(kChunk);
        if (chunk == nullptr) return nullptr;
        a.next = chunk, a.end = chunk + kChunk;
    }
    char* block = a.next;
    a.next += bytes;
    return block;
}

void* place(char* block, size_t align, Head head) {
    const auto begin = reinterpret_cast<uintptr_t>(block);
    const uintptr_t at = (begin + sizeof(Head) + align - 1) / align * align;
    head.mark = at ^ kMark, head.offset = static_cast<uint16_t>((at - begin) / sizeof(Head));
    char* given = block + (at - begin);
    *reinterpret_cast<Head*>(given - sizeof(Head)) = head;
    return given;
}

// nullptr: the system has no more.
void* take(size_t bytes, size_t align) {
    constexpr size_t kMost = size_t{1} << 43, kMostAlign = size_t{1} << 16;
    if (bytes > kMost || align > kMostAlign) return nullptr;
    const size_t all = bytes + sizeof(Head) + (align > sizeof(Head) ? align : 0);
    if (all > kLargest) {
        const size_t pages = (all + kPage - 1) / kPage;
        char* block = map(pages * kPage);
        return block == nullptr ? nullptr : place(block, align, {0, static_cast<uint32_t>(pages), 0, 0, 0});
    }
    if (own < 0) own = static_cast<int>(threads++ % kArenas);
    Arena& a = arenas[static_cast<size_t>(own)];
    const size_t kind = class_of(all);
    pthread_mutex_lock(&a.mutex);
    char* block = take_block(a, kind);
    pthread_mutex_unlock(&a.mutex);
    if (block == nullptr) return nullptr;
    return place(block, align, {0, 0, 0, static_cast<uint8_t>(kind), static_cast<uint8_t>(own)});
}

void give_to_program(void* at) {
    using Delete = void (*)(void*);
    static const auto kDelete = reinterpret_cast<Delete>(dlsym(RTLD_DEFAULT, "_ZdlPv"));
    if (kDelete != nullptr) kDelete(at);
}

void give(void* at) {
    if (at == nullptr) return;
    const auto* head = reinterpret_cast<const Head*>(static_cast<char*>(at) - sizeof(Head));
    if (head->mark != (reinterpret_cast<uintptr_t>(at) ^ kMark)) return give_to_program(at);
    char* block = static_cast<char*>(at) - size_t{head->offset} * sizeof(Head);
    if (head->pages != 0) {
        munmap(block, size_t{head->pages} * kPage);
        return;
    }
    const size_t kind = head->kind;
    Arena& a = arenas[head->arena];
    const_cast<Head*>(head)->mark = 0;
    pthread_mutex_lock(&a.mutex);
    *reinterpret_cast<void**>(block) = a.free[kind];
    a.free[kind] = block;
    pthread_mutex_unlock(&a.mutex);
}

void* take_or_throw(size_t bytes, size_t align) {
    void* at = take(bytes, align);
    if (at == nullptr) throw std::bad_alloc();
    return at;
}

// A child has no thread that could give a lock back.
struct AtFork {
    AtFork() {
        pthread_atfork(
            [] {
                for (Arena& a : arenas) pthread_mutex_lock(&a.mutex);
            },
            [] {
                for (Arena& a : arenas) pthread_mutex_unlock(&a.mutex);
            },
            [] {
                for (Arena& a : arenas) pthread_mutex_unlock(&a.mutex);
            }
        );
    }
} at_fork;

constexpr size_t kPlain = 16;

}  // namespace
}  // namespace wl::guard

using namespace wl::guard;

void* operator new(size_t bytes) { return take_or_throw(bytes, kPlain); }
void* operator new[](size_t bytes) { return take_or_throw(bytes, kPlain); }
void* operator new(size_t bytes, std::align_val_t align) {
    return take_or_throw(bytes, static_cast<size_t>(align));
}
void* operator new[](size_t bytes, std::align_val_t align) {
    return take_or_throw(bytes, static_cast<size_t>(align));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return take(bytes, kPlain); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return take(bytes, kPlain); }
void operator delete(void* at) noexcept { give(at); }
void operator delete[](void* at) noexcept { give(at); }
void operator delete(void* at, size_t) noexcept { give(at); }
void operator delete[](void* at, size_t) noexcept { give(at); }
void operator delete(void* at, std::align_val_t) noexcept { give(at); }
void operator delete[](void* at, std::align_val_t) noexcept { give(at); }
void operator delete(void* at, size_t, std::align_val_t) noexcept { give(at); }
void operator delete[](void* at, size_t, std::align_val_t) noexcept { give(at); }
void operator delete(void* at, const std::nothrow_t&) noexcept { give(at); }
void operator delete[](void* at, const std::nothrow_t&) noexcept { give(at); }
#endif
