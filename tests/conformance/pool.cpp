// Hashing, zlib and files.
#include "tests/conformance/pool.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <xxhash.h>
#include <zlib.h>

namespace wl::conformance {

std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

nlohmann::json placed(Pool& pool, std::string_view bytes) {
    const bool zero = std::all_of(bytes.begin(), bytes.end(), [](char x) { return x == 0; });
    nlohmann::json j;
    j["bytes"] = bytes.size();
    if (zero) return j["offset"] = -1, j;
    const uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
    const auto [entry, is_new] = pool.offsets.try_emplace(hash, pool.bytes.size());
    if (is_new) pool.bytes.append(bytes);
    j["offset"] = entry->second;
    return j;
}

void write_compressed(const std::string& path, const std::string& bytes) {
    uLongf size = compressBound(bytes.size());
    std::string packed(size, '\0');
    compress2(
        reinterpret_cast<Bytef*>(packed.data()),
        &size,
        reinterpret_cast<const Bytef*>(bytes.data()),
        bytes.size(),
        6
    );
    packed.resize(size);
    std::ofstream(path, std::ios::binary) << packed;
}

std::string concatenated_results(const std::string& folder) {
    std::string bytes;
    for (int part = 0;; ++part) {
        std::ifstream file(folder + "/results." + std::to_string(part) + ".bin", std::ios::binary);
        if (!file) return bytes;
        bytes.append(std::istreambuf_iterator<char>(file), {});
    }
}

}  // namespace wl::conformance
