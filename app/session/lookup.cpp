#include "app/session/lookup.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/toolkit_header.h"

#include <filesystem>
#include <limits>

namespace wl::app {

namespace {

double element_of(
    const capture::BlobStore& blobs, const capture::Tile& tile, capture::BlobId id, DType dtype, size_t index
) {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    if (id == capture::kNoBlob || !is_had_at_once(blobs, tile, id)) return kUnknown;
    try {
        const std::vector<std::byte>& bytes = capture::content_of(blobs, id);
        if ((index + 1) * size_of(dtype) > bytes.size()) return kUnknown;
        return to_double(dtype, bytes.data() + index * size_of(dtype));
    } catch (const Error&) { return kUnknown; }  // who selects that tile is told why
}

}  // namespace

const capture::Tile* tile_of(const Session& session, const Selection& selection) {
    const auto& tiles = session.capture.tiles;
    return selection.tile >= 0 && selection.tile < static_cast<int>(tiles.size())
        ? &tiles[static_cast<size_t>(selection.tile)]
        : nullptr;
}

const capture::Probe* probe_of(const Session& session, const Selection& selection) {
    const capture::Tile* tile = tile_of(session, selection);
    return tile != nullptr ? &session.capture.probes[static_cast<size_t>(tile->probe)] : nullptr;
}

int warps_of_block(const capture::Launch& launch) {
    const uint64_t threads = uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    return static_cast<int>((threads + 31) / 32);
}

int record_index(const Session& session, int64_t block) {
    const auto& records = session.capture.records;
    for (size_t i = 0; i < records.size(); ++i) {
        if (records[i].block == block) return static_cast<int>(i);
    }
    return -1;
}

std::string launch_text(const capture::Capture& capture, int number) {
    return "launch " + std::to_string(number) + " of " + std::to_string(capture.launch.all) + " (" +
        capture.launches[static_cast<size_t>(number - 1)].name + ")";
}

std::string block_text(const capture::Capture& capture, int64_t block) {
    return block_text(block, capture.launch.grid);
}

std::string block_text(int64_t block, Dim3 grid) {
    if (block < 0) return "whole launch";
    const Dim3 at = from_linear(static_cast<uint64_t>(block), grid);
    return "block (" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + ")";
}

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

int user_site(const capture::Capture& capture, int site) {
    const auto& sites = capture.sites;
    for (int s = site; s >= 0 && s < static_cast<int>(sites.size());
         s = sites[static_cast<size_t>(s)].inlined_at) {
        const int source = sites[static_cast<size_t>(s)].source;
        if (source < 0 || source >= static_cast<int>(capture.sources.size())) continue;
        if (!is_toolkit_header(capture.sources[static_cast<size_t>(source)].path)) return s;
    }
    return site;
}

std::string place_text(const capture::Capture& capture, int of) {
    const int site = user_site(capture, of);
    if (site < 0 || site >= static_cast<int>(capture.sites.size())) return {};
    const capture::Site& at = capture.sites[static_cast<size_t>(site)];
    if (at.source < 0 || at.source >= static_cast<int>(capture.sources.size()) || at.line <= 0) return {};
    return file_name(capture.sources[static_cast<size_t>(at.source)].path) + ":" + std::to_string(at.line);
}

std::vector<HistoryPoint> element_history(const capture::Capture& capture, int tile, Element element) {
    std::vector<HistoryPoint> history;
    if (tile < 0 || tile >= static_cast<int>(capture.tiles.size())) return history;
    const capture::Tile& chosen = capture.tiles[static_cast<size_t>(tile)];
    const DType dtype = capture.probes[static_cast<size_t>(chosen.probe)].dtype;
    for (size_t i = 0; i < capture.tiles.size(); ++i) {
        const capture::Tile& other = capture.tiles[i];
        const bool same =
            other.probe == chosen.probe && other.block == chosen.block && other.warp == chosen.warp;
        if (!same || element.row >= other.rows || element.col >= other.cols || !exists(element)) continue;
        const size_t index = static_cast<size_t>(element.row) * static_cast<size_t>(other.cols) +
            static_cast<size_t>(element.col);
        history.push_back(
            {other.iteration,
             static_cast<int>(i),
             element_of(capture.blobs, other, other.values, dtype, index),
             element_of(capture.blobs, other, other.reference, DType::f64, index),
             other.verdict}
        );
    }
    return history;
}

}  // namespace wl::app
