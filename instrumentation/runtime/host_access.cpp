// process_vm_readv and process_vm_writev of this process: the system copies, and says EFAULT where a plain
// copy would be ended by a signal. Where a sandbox forbids them, nothing is checked.
#include "instrumentation/runtime/host_access.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <sys/uio.h>
#include <unistd.h>

namespace wl::runtime {
namespace {

constexpr size_t kPage = 4096, kAtOnce = 256;

enum class Done : uint8_t { all, not_all, forbidden };

Done moved(bool reads, const iovec* here, size_t count, const iovec* there, size_t bytes) {
    const auto move = reads ? process_vm_readv : process_vm_writev;
    const ssize_t got = move(getpid(), here, count, there, count, 0);
    if (got >= 0) return static_cast<size_t>(got) == bytes ? Done::all : Done::not_all;
    return errno == EFAULT || errno == ENOMEM ? Done::not_all : Done::forbidden;
}

// The first byte, one of each page behind it, and the last one.
template <class Probe>
bool each_page(const void* at, size_t bytes, Probe probe) {
    if (bytes == 0) return true;
    const auto begin = reinterpret_cast<uintptr_t>(at), last = begin + bytes - 1;
    if (last < begin) return false;
    std::array<iovec, kAtOnce> there;
    uintptr_t next = begin;
    for (bool more = true; more;) {
        size_t count = 0;
        for (; count < kAtOnce && more; ++count) {
            there[count] = {reinterpret_cast<void*>(next), 1};  // NOLINT: an address of the program's
            const uintptr_t page = (next / kPage + 1) * kPage;
            more = page <= last && page > next;
            next = page;
        }
        if (!probe(there.data(), count)) return false;
    }
    return true;
}

bool read_bytes(const iovec* there, size_t count, std::array<char, kAtOnce>& got) {
    std::array<iovec, kAtOnce> here;
    for (size_t k = 0; k < count; ++k) here[k] = {&got[k], 1};
    return moved(true, here.data(), count, there, count) != Done::not_all;
}

}  // namespace

bool is_readable(const void* at, size_t bytes) {
    return each_page(at, bytes, [](const iovec* there, size_t count) {
        std::array<char, kAtOnce> got;
        return read_bytes(there, count, got);
    });
}

// Bytes are written as they were read: what may be written here is about to be.
bool is_writable(void* at, size_t bytes) {
    return each_page(at, bytes, [](const iovec* there, size_t count) {
        std::array<char, kAtOnce> got;
        std::array<iovec, kAtOnce> here;
        for (size_t k = 0; k < count; ++k) here[k] = {&got[k], 1};
        const Done read = moved(true, here.data(), count, there, count);
        if (read != Done::all) return read == Done::forbidden;
        return moved(false, here.data(), count, there, count) != Done::not_all;
    });
}

bool read_host(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return true;
    const iovec here{to, bytes}, there{const_cast<void*>(from), bytes};
    const Done done = moved(true, &here, 1, &there, bytes);
    if (done == Done::forbidden) std::memmove(to, from, bytes);
    return done != Done::not_all;
}

bool write_host(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return true;
    const iovec here{const_cast<void*>(from), bytes}, there{to, bytes};
    const Done done = moved(false, &here, 1, &there, bytes);
    if (done == Done::forbidden) std::memmove(to, from, bytes);
    return done != Done::not_all;
}

bool read_text(const char* from, std::string& out) {
    out.clear();
    for (auto at = reinterpret_cast<uintptr_t>(from);;) {
        const size_t left = kPage - at % kPage;
        std::array<char, kPage> page;
        if (!read_host(page.data(), reinterpret_cast<const void*>(at), left)) return false;  // NOLINT
        const auto* end = static_cast<const char*>(std::memchr(page.data(), 0, left));
        out.append(page.data(), end != nullptr ? static_cast<size_t>(end - page.data()) : left);
        if (end != nullptr) return true;
        at += left;
    }
}

namespace {

struct Mapped {
    uintptr_t from = 0, to = 0;
    bool reads = false, writes = false;
    std::string_view line;
};

// Calls `take` with each part of the system's list, which rises, until it returns false; false: there is no
// list.
template <class Take>
bool each_mapped(Take take) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(
        std::fopen("/proc/self/maps", "re"), std::fclose
    );
    if (maps == nullptr) return false;
    std::array<char, 512> line;
    while (std::fgets(line.data(), line.size(), maps.get()) != nullptr) {
        Mapped m;
        char reads = 0, writes = 0;
        if (std::sscanf(line.data(), "%" SCNxPTR "-%" SCNxPTR " %c%c", &m.from, &m.to, &reads, &writes) != 4)
            continue;
        m.reads = reads == 'r', m.writes = writes == 'w', m.line = line.data();
        if (!take(m)) break;
    }
    return true;
}

}  // namespace

bool is_mapped(const void* at, size_t bytes) {
    auto next = reinterpret_cast<uintptr_t>(at);
    const uintptr_t end = next + bytes;
    if (end < next) return false;
    const bool listed = each_mapped([&](const Mapped& m) {
        if (next < m.from || (next < m.to && !(m.reads && m.writes))) return false;
        next = std::max(next, std::min(m.to, end));
        return next < end;
    });
    return listed ? next >= end : is_readable(at, std::min(bytes, kPage));
}

std::string host_memory_name(uint64_t address) {
    std::string out;
    each_mapped([&](const Mapped& m) {
        if (address >= m.from && address < m.to && m.reads)
            out = m.line.find("[stack]") != m.line.npos ? "host stack"
                : m.line.find("[heap]") != m.line.npos  ? "host heap"
                                                        : "host";
        return address >= m.to;
    });
    return out;
}

}  // namespace wl::runtime
