// sysconf(3), getrlimit(2), cgroups(7).
#include "instrumentation/base/os/memory_limit.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace wl {
namespace {

constexpr uint64_t kGigabyte = 1'000'000'000;

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

// Of the address space that ulimit -v allows, what is not taken yet.
uint64_t address_space_left() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const uint64_t taken = pages * page_bytes();
    return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

// "max" is no number.
uint64_t group_limit() {
    uint64_t bytes = 0;
    return std::ifstream("/sys/fs/cgroup/memory.max") >> bytes ? bytes : UINT64_MAX;
}

// What a variable of the environment gives: digits, and K, M or G after them.
std::optional<uint64_t> bytes_asked(const char* variable) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return std::nullopt;
    char* end = nullptr;
    const uint64_t number = std::strtoull(text, &end, 10);
    const uint64_t unit = *end == 'K' ? 1'000 : *end == 'M' ? 1'000'000 : *end == 'G' ? kGigabyte : 1;
    if (text[0] < '0' || text[0] > '9' || (*end != '\0' && end[1] != '\0') || (*end != '\0' && unit == 1))
        throw Error(std::string(variable) + "=" + text + " is no number of bytes, such as 20G.");
    return capped_product(number, unit);
}

}  // namespace

std::string memory_text(uint64_t bytes) {
    const bool large = bytes >= kGigabyte;
    char text[32];
    std::snprintf(
        text, sizeof text, large ? "%.1f GB" : "%.1f MB", static_cast<double>(bytes) * (large ? 1e-9 : 1e-6)
    );
    return text;
}

uint64_t memory_limit() {
    const uint64_t machine = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
    const uint64_t asked = bytes_asked("WARPLENS_MEMORY").value_or(UINT64_MAX);
    return std::min({machine, address_space_left(), group_limit(), asked});
}

void check_memory(uint64_t bytes, std::string_view what) {
    constexpr uint64_t kSmall = uint64_t{16} << 20;  // not worth the question
    if (bytes <= kSmall) return;
    const uint64_t limit = memory_limit();
    if (bytes <= limit) return;
    throw Error(
        std::string(what) + " needs " + memory_text(bytes) + " of memory, and there are " +
        memory_text(limit) + " for it."
    );
}

void check_unpacked(uint64_t bytes, uint64_t file_bytes, std::string_view file) {
    constexpr uint64_t kAlways = kGigabyte, kTimes = 1000;
    const uint64_t most =
        bytes_asked("WARPLENS_UNPACK").value_or(std::max(kAlways, capped_product(file_bytes, kTimes)));
    if (bytes > most)
        throw Error(
            std::string(file) + " would unpack to " + memory_text(bytes) + ", more than " +
            memory_text(most) +
            ": the most that a file of its size may. If it is right, give WARPLENS_UNPACK=" +
            std::to_string(bytes / kGigabyte + 1) + "G."
        );
    check_memory(bytes, file);
}

uint64_t capped_product(uint64_t a, uint64_t b) {
    uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

}  // namespace wl
