// Nearest words, joining, reading and hashing of text.
#include "instrumentation/base/text.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/memory_limit.h"
#include "instrumentation/base/os/stop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <numeric>
#include <openssl/evp.h>
#include <poll.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace wl {
namespace {

// Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours cost 1 (Damerau
// 1964).
size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), size_t{0});
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
    const std::string* best = nullptr;
    size_t best_distance = std::max<size_t>(1, word.size() / 3) + 1;
    for (const std::string& candidate : known) {
        const size_t longer = std::max(word.size(), candidate.size()),
                     shorter = std::min(word.size(), candidate.size());
        if (longer - shorter >= best_distance) continue;
        const size_t distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = &candidate;
        }
    }
    return best ? *best : std::string();
}

std::string join(std::span<const std::string> words, std::string_view separator) {
    std::string out;
    for (size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += separator;
        out += words[i];
    }
    return out;
}

namespace {

constexpr uint64_t kMostOfStream = uint64_t{1} << 30;  // bytes of a pipe or a device, which may have no end

// Before the first writer has opened a pipe, read() says that it is at its end; poll() waits.
void wait_for_bytes(int fd) {
    constexpr int kBeat = 50;  // ms, until it is looked at whether a signal asked us to stop
    pollfd waiting{fd, POLLIN, 0};
    while (::poll(&waiting, 1, kBeat) <= 0) check_stop();
}

}  // namespace

std::string read_text_file(const std::string& path) {
    const auto fail = [&path](int code) {
        throw Error("cannot read " + path + ": " + std::generic_category().message(code) + ".");
    };
    // Not blocking: a pipe that nobody writes to would keep us in open() and read(), deaf to signals.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat about {};
    if (file.fd < 0 || ::fstat(file.fd, &about) != 0) fail(errno);
    if (S_ISDIR(about.st_mode)) fail(EISDIR);
    const bool has_size = S_ISREG(about.st_mode);
    std::string text;
    if (has_size) {
        const auto size = static_cast<uint64_t>(about.st_size);
        check_memory(size, path);
        text.reserve(size);
    }
    std::vector<char> buffer(size_t{1} << 18);
    for (ssize_t n = 1; n != 0;) {
        check_stop();
        if (!has_size) wait_for_bytes(file.fd);
        n = ::read(file.fd, buffer.data(), buffer.size());
        if (n < 0 && errno != EINTR && errno != EAGAIN) fail(errno);
        if (n > 0) text.append(buffer.data(), static_cast<size_t>(n));
        if (!has_size && text.size() > kMostOfStream)
            throw Error("cannot read " + path + ": it does not end within 1 GiB; give a file.");
    }
    return text;
}

std::string sha256_hex(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int length = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1)
        throw Error("cannot compute a SHA-256: this machine's libcrypto does not offer it.");
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (unsigned int i = 0; i < length; ++i) {
        hex += kDigits[digest[i] >> 4];
        hex += kDigits[digest[i] & 15];
    }
    return hex;
}

std::string path_from_here(const std::string& path) {
    std::error_code problem;
    const std::filesystem::path absolute = std::filesystem::weakly_canonical(path, problem),
                                here = std::filesystem::current_path(problem);
    if (problem) return path;
    const std::filesystem::path relative = absolute.lexically_relative(here);
    return relative.empty() || *relative.begin() == ".." ? absolute.string() : relative.string();
}

}  // namespace wl
