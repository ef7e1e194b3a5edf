// Which write each byte has: a table that is merged by "executed later wins", so that any order of applying
// gives the same, and a prefix by time is a valid key frame.
#include "instrumentation/analysis/replay.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace wl::analysis {
namespace {

using capture::Event;
using capture::EventKind;

constexpr uint64_t kLargestWindow = 1 << 20;  // bytes; twice what any device gives a block
constexpr size_t kMostFrames = 64, kLeastSpacing = 8192;

// Later index wins; kNeverWritten + 1 == 0, so comparing successors treats it as the earliest.
void apply(std::vector<uint32_t>& writer, const Event& event, uint32_t i) {
    for (uint64_t byte = event.address; byte < event.address + event.bytes; ++byte)
        if (writer[byte] + 1 < i + 1) writer[byte] = i;
}

std::byte value_of(const Event& event, uint64_t address) {
    return static_cast<std::byte>(event.value >> 8 * (address - event.address));
}

// The frame with the most writes among those not later than `applied`.
const ReplayIndex::KeyFrame& frame_before(const ReplayIndex& index, size_t applied) {
    const auto after = std::upper_bound(
        index.frames.begin(),
        index.frames.end(),
        applied,
        [](size_t n, const ReplayIndex::KeyFrame& frame) { return n < frame.applied; }
    );
    return *std::prev(after);
}

struct Place {
    uint64_t address = 0;
    int ld = 0;
    size_t element = 0;  // bytes
    size_t of(int row, int col) const {
        return static_cast<size_t>(address) +
            (static_cast<size_t>(row) * static_cast<size_t>(ld) + static_cast<size_t>(col)) * element;
    }
};

bool lies_in(const std::vector<uint32_t>& window, const capture::Tile& tile, const Place& place) {
    if (tile.rows <= 0 || tile.cols <= 0 || tile.ld <= 0 || tile.address > window.size()) return false;
    const uint64_t limit = window.size();
    const bool small = static_cast<uint64_t>(tile.rows) <= limit &&
        static_cast<uint64_t>(tile.cols) <= limit && static_cast<uint64_t>(tile.ld) <= limit;
    return small && place.of(tile.rows - 1, tile.cols - 1) + place.element <= limit;
}

// The last write among an element's bytes, or nullptr if one of them was never written.
const Event* element_writer(
    const ReplayIndex& index, const std::vector<uint32_t>& writer, size_t begin, size_t size
) {
    uint32_t latest = 0;
    for (size_t byte = begin; byte < begin + size; ++byte) {
        if (writer[byte] == kNeverWritten) return nullptr;
        latest = std::max(latest, writer[byte]);
    }
    return &index.record->events[latest];
}

std::vector<std::byte> bytes_of(const ReplayIndex& index, const std::vector<uint32_t>& writer) {
    std::vector<std::byte> bytes(writer.size(), std::byte{0xff});
    for (size_t i = 0; i < writer.size(); ++i)
        if (writer[i] != kNeverWritten) bytes[i] = value_of(index.record->events[writer[i]], i);
    return bytes;
}

}  // namespace

ReplayIndex replay_index(const capture::BlockRecord& record) {
    ReplayIndex index;
    index.record = &record;
    size_t window = 0;
    for (size_t i = 0; i < record.events.size(); ++i) {
        const Event& event = record.events[i];
        if (event.kind != EventKind::shared_write || event.address > kLargestWindow - 8) continue;
        index.by_time.push_back(static_cast<uint32_t>(i));
        window = std::max<size_t>(window, event.address + event.bytes);
    }
    std::stable_sort(index.by_time.begin(), index.by_time.end(), [&](uint32_t a, uint32_t b) {
        return record.events[a].time < record.events[b].time;
    });
    const size_t spacing = std::max(kLeastSpacing, index.by_time.size() / kMostFrames);
    std::vector<uint32_t> writer(window, kNeverWritten);
    for (size_t i = 0; i < index.by_time.size(); ++i) {
        if (i % spacing == 0) index.frames.push_back({i, writer});
        apply(writer, record.events[index.by_time[i]], index.by_time[i]);
    }
    if (index.frames.empty()) index.frames.push_back({0, writer});
    return index;
}

std::vector<uint32_t> writers_at(const ReplayIndex& index, uint32_t time) {
    const std::vector<Event>& events = index.record->events;
    const auto end =
        std::upper_bound(index.by_time.begin(), index.by_time.end(), time, [&](uint32_t t, uint32_t i) {
            return t < events[i].time;
        });
    const auto applied = static_cast<size_t>(end - index.by_time.begin());
    const ReplayIndex::KeyFrame& frame = frame_before(index, applied);
    std::vector<uint32_t> writer = frame.writer;
    for (size_t i = frame.applied; i < applied; ++i)
        apply(writer, events[index.by_time[i]], index.by_time[i]);
    return writer;
}

std::vector<std::byte> shared_at(const ReplayIndex& index, uint32_t time) {
    return bytes_of(index, writers_at(index, time));
}

TileData tile_at(
    const capture::Capture& capture, const ReplayIndex& index, const capture::Tile& tile, uint32_t time
) {
    const capture::Probe& probe = capture.probes[static_cast<size_t>(tile.probe)];
    const std::vector<uint32_t> writer = writers_at(index, time);
    const Place place{tile.address, tile.ld, size_of(probe.dtype)};
    if (probe.memory != "shared" || !lies_in(writer, tile, place)) return {};
    const std::vector<std::byte> bytes = bytes_of(index, writer);

    TileData data = load_tile(capture, tile);
    data.rows = tile.rows;
    data.cols = tile.cols;
    data.dtype = probe.dtype;
    data.got = make_matrix<double>(tile.rows, tile.cols, std::numeric_limits<double>::quiet_NaN());
    data.owner = make_matrix<capture::Owner>(tile.rows, tile.cols);
    data.raw.resize(data.got.data.size() * place.element);
    for (int row = 0; row < tile.rows; ++row)
        for (int col = 0; col < tile.cols; ++col) {
            const size_t at = place.of(row, col);
            std::memcpy(
                data.raw.data() + data.got.index(row, col) * place.element, bytes.data() + at, place.element
            );
            const Event* event = element_writer(index, writer, at, place.element);
            if (!event) continue;
            data.got(row, col) = to_double(probe.dtype, bytes.data() + at);
            data.owner(row, col) = {event->warp, event->lane, event->epoch, event->site};
        }
    return data;
}

}  // namespace wl::analysis
