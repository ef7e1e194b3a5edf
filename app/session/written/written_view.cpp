// The palette of warps is that of blocks, lanes and counts as well.
#include "app/session/written/written_view.h"

#include "app/session/lookup.h"
#include "app/session/questions.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/process.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace wl::app {

namespace {

constexpr int kShades = 32, kMiddle = 16;  // of a hue

float code_of(const WrittenElement& e, WrittenBy by) {
    if (e.stores == 0)
        return by == WrittenBy::stores && e.block == -2 ? static_cast<float>(kStale * kShades + kMiddle) : -1;
    switch (by) {
        case WrittenBy::block: return static_cast<float>(e.block % 32 * kShades + e.block / 32 * 7 % kShades);
        case WrittenBy::warp: return static_cast<float>(e.warp % 32 * kShades + e.lane % 32);
        case WrittenBy::lane: return static_cast<float>(e.lane % 32 * kShades + kMiddle);
        case WrittenBy::stores:
            return static_cast<float>(e.stores == 1 ? kOnce * kShades + kMiddle : kMany * kShades + kMiddle);
    }
    return -1;
}

Plane plane_by(std::shared_ptr<const WrittenMap> map, WrittenBy by) {
    const int rows = map->rows, cols = map->cols;
    return {rows, cols, [map = std::move(map), by](int row, int col, int count, float* out) {
                const WrittenElement* from = &map->at(row, col);
                for (int i = 0; i < count; ++i) out[i] = code_of(from[i], by);
            }};
}

}  // namespace

WrittenView make_written_view(WrittenMap map, uint64_t content) {
    WrittenView view;
    view.map = std::make_shared<const WrittenMap>(std::move(map));
    view.content = content;
    for (size_t by = 0; by < view.planes.size(); ++by) {
        view.planes[by] = plane_by(view.map, static_cast<WrittenBy>(by));
        view.pyramids[by] = make_pyramid(view.planes[by]);
    }
    return view;
}

bool is_asking(const WrittenAnswer& written) { return written.worker || written.reading.valid(); }

std::string written_text(const capture::Capture& capture, const WrittenElement& e) {
    if (e.stores == 0) return e.block == -2 ? "as it was before the launch" : "never set";
    return block_text(capture, e.block) + " warp " + std::to_string(e.warp) + " lane " +
        std::to_string(e.lane);
}

const WrittenElement* written_element(const Session& session, const Selection& selection, Element at) {
    const capture::Probe* probe = probe_of(session, selection);
    const std::shared_ptr<const WrittenMap>& map = session.written.view.map;
    const bool shown = map && probe != nullptr && map->array == probe->name && exists(at) &&
        at.row < map->rows && at.col < map->cols;
    return shown ? &map->at(at.row, at.col) : nullptr;
}

void ask_written(Session& session, const std::string& array) {
    WrittenAnswer& written = session.written;
    if (is_asking(written)) return;
    const std::string name = "warplens-" + std::to_string(own_process()) + "-writers.npy";
    written.array = array, written.problem.clear();
    written.file = (std::filesystem::temp_directory_path() / name).string();
    written.worker = start_question(
        session, "writers", {"--array", array, "-o", written.file, "--json", "--progress"}, written.problem
    );
}

bool hear_written(Session& session) {
    WrittenAnswer& written = session.written;
    if (written.reading.valid()) {
        if (written.reading.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
        try {
            written.view = written.reading.get();
        } catch (const Error& error) { written.problem = error.what(); }
        return true;
    }
    if (!written.worker) return false;
    poll(*written.worker);
    if (written.worker->state == WorkerState::running) return true;
    const std::unique_ptr<Worker> worker = std::move(written.worker);
    if (worker->state != WorkerState::finished) {
        written.problem = worker->message;
        return true;
    }
    // Two captures' maps are never taken for each other.
    const uint64_t content = written.view.content + 1;
    written.reading = std::async(std::launch::async, [answer = worker->answer, file = written.file, content] {
        WrittenView view = make_written_view(written_map(answer, file), content);
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        return view;
    });
    return true;
}

}  // namespace wl::app
