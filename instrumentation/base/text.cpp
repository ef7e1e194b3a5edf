// Nearest words, joining and hashing of text.
#include "instrumentation/base/text.h"

#include "instrumentation/base/error.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <numeric>
#include <openssl/evp.h>
#include <system_error>

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
