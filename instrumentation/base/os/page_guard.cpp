#include "instrumentation/base/os/page_guard.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace wl {
namespace {

constexpr size_t kMostTouches = 64;

// Read by the handler: nothing of it is ever moved.
struct Guard {
    std::array<GuardedPages, kMostGuarded> pages;
    std::atomic<size_t> count = 0;
    std::array<PageTouch, kMostTouches> touches;
    std::atomic<size_t> touched = 0;
    struct sigaction before {};
    bool is_installed = false;
};
constinit Guard guard;

void* pointer(uint64_t address) {
    return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr): of a page
}

const GuardedPages* guarded(uint64_t address) {
    for (size_t k = 0; k < guard.count; ++k)
        if (guard.pages[k].begin <= address && address < guard.pages[k].end) return &guard.pages[k];
    return nullptr;
}

// Of nobody here: as without us.
void hand_on(int signal, siginfo_t* info, void* context) {
    const auto& before = guard.before;
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr)
        return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
    sigaction(signal, &before, nullptr);  // the instruction faults again
}

// Bit 1 of the page fault's error code: a write (Intel SDM, volume 3, 4.7).
constexpr long kWrite = 2;

void touched(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<uint64_t>(info->si_addr);
    const GuardedPages* pages = guarded(address);
    if (pages == nullptr) return hand_on(signal, info, context);
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    const size_t k = guard.touched++;
    if (k < kMostTouches) {
        const auto code = static_cast<uint64_t>(registers[REG_RIP]);
        guard.touches[k] = {address, pointer(code), (registers[REG_ERR] & kWrite) != 0};
    }
    const uint64_t page = address / page_bytes() * page_bytes();
    mprotect(pointer(page), page_bytes(), PROT_READ | PROT_WRITE);
}

void install() {
    struct sigaction now {};
    sigaction(SIGSEGV, nullptr, &now);
    if (guard.is_installed && (now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == touched) return;
    guard.before = now;
    struct sigaction ours {};
    ours.sa_sigaction = touched;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&ours.sa_mask);
    guard.is_installed = sigaction(SIGSEGV, &ours, nullptr) == 0;
}

}  // namespace

uint64_t page_bytes() {
    static const auto kBytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    return kBytes;
}

bool guard_pages(std::span<const GuardedPages> pages) {
    release_pages();
    if (pages.size() > kMostGuarded) return false;
    if (pages.empty()) return true;
    install();
    if (!guard.is_installed) return false;
    for (size_t k = 0; k < pages.size(); ++k) guard.pages[k] = pages[k];
    guard.count = pages.size();
    for (const GuardedPages& p : pages)
        mprotect(pointer(p.begin), p.end - p.begin, p.may_read ? PROT_READ : PROT_NONE);
    return true;
}

std::vector<PageTouch> release_pages() {
    for (size_t k = 0; k < guard.count; ++k)
        mprotect(
            pointer(guard.pages[k].begin), guard.pages[k].end - guard.pages[k].begin, PROT_READ | PROT_WRITE
        );
    guard.count = 0;
    const size_t many = std::min(guard.touched.exchange(0), kMostTouches);
    return {guard.touches.begin(), guard.touches.begin() + static_cast<std::ptrdiff_t>(many)};
}

}  // namespace wl
