// Reads and writes stored results.
#include "tests/conformance/golden.h"

#include "instrumentation/base/error.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <zstd.h>

namespace wl::conformance {
namespace {

std::string read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string decompressed(const std::string& path) {
    const std::string packed = read_bytes(path);
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > (1ull << 30))
        throw Error(
            path + " is no file of stored results: it does not start with a zstd frame of known size."
        );
    std::string text(size, '\0');
    if (ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) != size)
        throw Error(path + " is damaged: it does not decompress; check it out again.");
    return text;
}

}  // namespace

std::string slug(std::string_view family) {
    std::string s;
    for (const char c : family)
        s += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::tolower(c)) : '_';
    return s;
}

Golden read_golden(const std::string& path) {
    Golden golden;
    if (!std::filesystem::exists(path)) return golden;
    const std::string text = decompressed(path);
    const size_t end = text.find('\n');
    if (end == std::string::npos) throw Error(path + " is damaged: its list of cases does not end.");
    const nlohmann::json header = nlohmann::json::parse(text.substr(0, end));
    for (const auto& record : header.at("records")) golden.records.push_back(record.dump());
    golden.refused = header.value("refused", Messages());
    golden.failed = header.value("failed", Messages());
    const auto* at = reinterpret_cast<const std::byte*>(text.data()) + end + 1;
    const auto* stop = reinterpret_cast<const std::byte*>(text.data()) + text.size();
    for (const auto& c : header.at("cases")) {
        const size_t bytes = c.at("bytes");
        if (bytes > static_cast<size_t>(stop - at))
            throw Error(path + " is damaged: it ends within a result.");
        golden.answers[c.at("name")] = {
            std::stoull(std::string(c.at("hash")), nullptr, 16), c.at("record"), {at, at + bytes}
        };
        at += bytes;
    }
    return golden;
}

void write_golden(const std::string& path, const Golden& golden) {
    nlohmann::json header;
    header["records"] = nlohmann::json::array();
    for (const std::string& record : golden.records)
        header["records"].push_back(nlohmann::json::parse(record));
    header["refused"] = golden.refused;
    header["failed"] = golden.failed;
    header["cases"] = nlohmann::json::array();
    std::string bytes;
    for (const auto& [name, answer] : golden.answers) {
        header["cases"].push_back({
            {"name", name                 },
            {"hash", fmt::format("{:016x}", answer.hash)},
            {"record",      answer.record                   },
            {"bytes",      answer.bytes.size() }
        });
        bytes.append(reinterpret_cast<const char*>(answer.bytes.data()), answer.bytes.size());
    }
    const std::string text = header.dump() + "\n" + bytes;
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 19));
    std::ofstream(path, std::ios::binary) << packed;
}

size_t compared_bytes(const Case& c) {
    size_t bytes = 0;
    for (const Buffer* b : compared(c)) bytes += b->bytes.size();
    return bytes;
}

}  // namespace wl::conformance
