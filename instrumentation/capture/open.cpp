// A capture whose blobs stay in the file until somebody asks for them.
#include "instrumentation/base/error.h"
#include "instrumentation/capture/consistency.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/capture/stored.h"
#include "instrumentation/capture/tables.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <span>
#include <system_error>
#include <utility>

namespace wl::capture {

namespace {

// Header and size are checked before SQLite sees the file.
Header header_of(const std::string& path, uint64_t& size) {
    const auto fail = [&path](const std::error_code& code) {
        throw Error("cannot read " + path + ": " + code.message() + ".");
    };
    std::error_code none;  // a pipe would keep us waiting, and has no pages
    if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
        throw Error("cannot read " + path + ": it is no regular file.");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
    if (!file) fail({errno, std::generic_category()});
    std::array<std::byte, kHeaderSize> first{};
    const size_t n = std::fread(first.data(), 1, first.size(), file.get());
    if (std::ferror(file.get())) fail({errno, std::generic_category()});
    std::error_code unknown;
    size = std::filesystem::file_size(path, unknown);
    if (unknown) fail(unknown);
    return read_header(std::span(first).first(n), size, path, kCaptureFile);
}

}  // namespace

Capture open_capture(const std::string& path) {
    uint64_t size = 0;
    const Header header = header_of(path, size);
    try {
        auto stored = std::make_shared<StoredBlobs>(path, size);
        check_version(header, path, stored->database());
        File file{stored->database(), size, header.minor > kMinor, {}};
        Capture capture;
        if (!read_tables_but_blobs(file, capture, std::move(stored))) return read_capture(path);
        const std::string problem = inconsistency(capture);
        if (!problem.empty()) throw DatabaseFault(problem);
        return capture;
    } catch (const DatabaseFault& fault) {
        throw Error(path + " is damaged: " + fault.what() + ". Record it again.");
    } catch (const std::bad_alloc&) {
        throw Error(path + " is too large: this machine's memory cannot hold it.");
    }
}

}  // namespace wl::capture
