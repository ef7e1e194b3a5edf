// One file an entry: the SHA-256 of the rest in hex, then the entry as CBOR (RFC 8949).
#include "instrumentation/compile/cache.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::compile {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHashChars = 64;
constexpr size_t kMostEntries = 512;  // some 300 KB each: at most about 150 MB

fs::path entry_path(const std::string& key) { return fs::path(cache_folder()) / (key + ".ptx.cbor"); }

void drop_oldest_half() {
    std::error_code ignored;
    std::vector<std::pair<fs::file_time_type, fs::path>> entries;
    for (const auto& entry : fs::directory_iterator(cache_folder(), ignored))
        if (entry.path().extension() == ".cbor")
            entries.emplace_back(entry.last_write_time(ignored), entry.path());
    if (entries.size() <= kMostEntries) return;
    std::sort(entries.begin(), entries.end());
    for (size_t i = 0; i < entries.size() / 2; ++i) fs::remove(entries[i].second, ignored);
}

}  // namespace

std::string cache_folder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && cache[0] == '/')
        return (fs::path(cache) / "warplens").string();  // relative ones: ignored, as XDG says
    const char* home = std::getenv("HOME");
    return home && home[0] == '/' ? (fs::path(home) / ".cache/warplens").string() : std::string();
}

std::optional<CacheEntry> load_entry(const std::string& key) {
    std::error_code ignored;
    if (cache_folder().empty() || !fs::is_regular_file(entry_path(key), ignored)) return std::nullopt;
    try {
        const std::string file = read_text_file(entry_path(key).string());
        if (file.size() < kHashChars) return std::nullopt;
        const std::string_view body = std::string_view(file).substr(kHashChars);
        if (sha256_hex(body) != file.substr(0, kHashChars)) return std::nullopt;
        const nlohmann::json json = nlohmann::json::from_cbor(body.begin(), body.end());
        CacheEntry entry{json.at("ptx"), json.at("log"), json.at("lowered_names"), json.at("compiler")};
        for (const nlohmann::json& f : json.at("reads"))
            entry.reads.push_back({f.at(0), f.at(1), f.at(2), f.at(3), f.at(4), f.at(5)});
        return are_as_read(entry.reads) ? std::optional(std::move(entry)) : std::nullopt;
    } catch (const Error&) { return std::nullopt; } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

void store_entry(const std::string& key, const CacheEntry& entry) {
    if (cache_folder().empty()) return;
    std::error_code ignored;
    fs::create_directories(cache_folder(), ignored);
    nlohmann::json reads = nlohmann::json::array();
    for (const ReadFile& f : entry.reads)
        reads.push_back({f.path, f.hash, f.size, f.inode, f.modified, f.changed});
    const std::vector<uint8_t> body = nlohmann::json::to_cbor({
        {"ptx",           entry.ptx          },
        {"log",           entry.log          },
        {"lowered_names", entry.lowered_names},
        {"compiler",      entry.compiler     },
        {"reads",         std::move(reads)   }
    });
    const std::string_view bytes(reinterpret_cast<const char*>(body.data()), body.size());
    const fs::path target = entry_path(key), aside = target.string() + "." + std::to_string(own_process());
    std::ofstream file(aside, std::ios::binary);
    file << sha256_hex(bytes) << bytes;
    file.close();
    if (file) fs::rename(aside, target, ignored);
    fs::remove(aside, ignored);
    drop_oldest_half();
}

}  // namespace wl::compile
