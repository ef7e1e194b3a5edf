// Bytes that travel to a GPU machine: each content once, compressed, with places in JSON.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace wl::conformance {

struct Pool {
    std::string bytes;
    std::unordered_map<uint64_t, size_t> offsets;  // by hash
};

std::string_view text_of(const std::vector<std::byte>& bytes);

// {"bytes": size, "offset": where they lie in the pool, or -1 if all are zero}
nlohmann::json placed(Pool& pool, std::string_view bytes);

void write_compressed(const std::string& path, const std::string& bytes);  // a zlib stream

// results.0.bin, results.1.bin, ... of a folder that a GPU machine filled, one behind another.
std::string concatenated_results(const std::string& folder);

}  // namespace wl::conformance
