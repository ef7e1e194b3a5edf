// Opening a big capture in the window: open_bench [GIB [FILE]], 0.5 if none are given. Writing it takes three
// times that in memory; the file is in the folder for temporary files and goes. A FILE stays, and is not
// written again.
#include "app/draw/gl.h"
#include "app/session/edit/open.h"
#include "app/session/navigate.h"
#include "app/shell/shell_offscreen.h"
#include "instrumentation/capture/file.h"
#include "tests/support/synthetic_capture.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

using namespace wl::app;
namespace capture = wl::capture;

using Clock = std::chrono::steady_clock;
double since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

capture::BlobId blob_of(capture::Capture& c, size_t bytes, uint8_t fill) {
    std::vector<std::byte>& blob = c.blobs.blobs.emplace_back(bytes, std::byte{fill});
    const auto id = static_cast<capture::BlobId>(c.blobs.blobs.size()) - 1;
    if (fill == 0x35) std::memcpy(blob.data() + bytes / 2, &id, sizeof id);  // no two alike
    return id;
}

void add_elements(capture::Capture& c, capture::Tile& tile) {
    const auto elements = static_cast<size_t>(tile.rows) * static_cast<size_t>(tile.cols);
    tile.values = blob_of(c, 2 * elements, 0x35);  // f16 near a third
    tile.reference = blob_of(c, 8 * elements, 0x3f);
    tile.bound = blob_of(c, 4 * elements, 0x3c);
    tile.owner = tile.block < 0 ? capture::kNoBlob : blob_of(c, 8 * elements, 0);
}

// Blocks of 56 tiles of 64x64, all recorded, and an output of 4096x4096.
capture::Capture big_capture(double gib) {
    capture::Capture c = wl::testing::synthetic_capture();
    capture::Tile small = c.tiles.front();
    small.rows = small.cols = small.ld = 64;
    c.tiles.clear(), c.outputs.clear(), c.records.clear(), c.findings.clear();
    c.blobs = {};
    for (capture::Probe& probe : c.probes) probe.dtype = wl::DType::f16;
    capture::Tile output = small;
    output.block = capture::kWholeLaunch, output.rows = output.cols = output.ld = 4096;
    add_elements(c, output);
    constexpr double kOutput = 4096.0 * 4096 * 14, kTile = 64.0 * 64 * 22;
    const auto tiles = static_cast<int>(std::max(56.0, (gib * (1 << 30) - kOutput) / kTile));
    c.launch.grid = {static_cast<uint32_t>(tiles / 56 + 1), 1, 1};
    for (int i = 0; i < tiles; ++i) {
        small.block = i / 56, small.iteration = i / 7 % 8, small.probe = i % 7;
        small.time = static_cast<uint64_t>(i % 56);
        add_elements(c, small);
        c.tiles.push_back(small);
    }
    c.tiles.push_back(output);
    return c;
}

// KiB that this process holds now.
long held() {
    long pages = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    if (std::fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
    std::fclose(file);
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Seconds that this thread, and all of them, have computed.
double computed(clockid_t of) {
    timespec at{};
    clock_gettime(of, &at);
    return static_cast<double>(at.tv_sec) * 1000 + static_cast<double>(at.tv_nsec) / 1e6;
}

// What the window's thread does beside it, without a window: what of it is computing, and what waiting.
void measure_alone(const std::string& path) {
    for (int i = 0; i < 3; ++i) {
        const auto begin = Clock::now();
        const double before = computed(CLOCK_THREAD_CPUTIME_ID);
        capture::Capture c = capture::open_capture(path);
        const double opened = since(begin), opened_cpu = computed(CLOCK_THREAD_CPUTIME_ID) - before;
        const Loaded loaded = derive(std::move(c));
        std::printf(
            "%-44s %6.0f ms   computing %4.0f ms; of that the tables %4.0f and %4.0f ms\n",
            "read by itself",
            since(begin),
            computed(CLOCK_THREAD_CPUTIME_ID) - before,
            opened,
            opened_cpu
        );
    }
}

// Draws until `done`, with the pauses that the window makes between frames while it waits; how long that
// took, and the longest frame.
template <class Done>
void until(OffscreenShell& shell, const char* what, Done done) {
    const auto begin = Clock::now();
    const double before = computed(CLOCK_PROCESS_CPUTIME_ID);
    double longest = 0;
    while (true) {
        const auto frame = Clock::now();
        shell.draw();
        glFinish();
        longest = std::max(longest, since(frame));
        if (done()) break;
        for (int i = 0; i < 5 && !has_news(shell.app.session); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::printf(
        "%-44s %6.0f ms   longest frame %4.0f ms   computing %5.0f ms   %5ld MiB held\n",
        what,
        since(begin),
        longest,
        computed(CLOCK_PROCESS_CPUTIME_ID) - before,
        held() / 1024
    );
}

void measure(const std::string& path) {
    std::printf("%.2f GiB\n", static_cast<double>(std::filesystem::file_size(path)) / (1 << 30));
    measure_alone(path);
    OffscreenShell shell(1920, 1080, 1);
    settle(shell);
    App& app = shell.app;
    const auto begin = Clock::now();
    open_anything(app.session, app.selection, path);
    std::printf("%-44s %6.0f ms\n", "the click on Open", since(begin));
    const auto shown = [&] { return !app.session.opening && has_values(app.session.current); };
    until(shell, "until the first tile is drawn", shown);
    const int tiles = static_cast<int>(app.session.capture.tiles.size());
    select_tile(app.session, app.selection, tiles / 2);
    until(shell, "a click on another tile", shown);
    select_tile(app.session, app.selection, tiles - 1);
    until(shell, "a click on the output: its first picture", shown);
    until(shell, "... and its figures", [&] { return !app.session.loading; });
    if (std::filesystem::file_size(path) > size_t{1} << 30) return;  // memory for the rest may not be there
    const auto again = Clock::now();
    capture::read_capture(path);
    std::printf("%-44s %6.0f ms\n", "all of it read, as the command line does", since(again));
}

}  // namespace

int main(int count, char** words) {
    const double gib = count > 1 && std::atof(words[1]) > 0 ? std::atof(words[1]) : 0.5;
    const bool keep = count > 2;
    const std::string path = keep
        ? words[2]
        : (std::filesystem::temp_directory_path() / ("open_bench_" + std::to_string(getpid()) + ".wlcap"))
              .string();
    const bool there = std::filesystem::exists(path);
    const pid_t writer = there ? -1 : fork();  // its memory goes with it
    try {
        if (writer == 0) {
            capture::write_capture(big_capture(gib), path);
            _exit(0);
        }
        int status = 0;
        if (!there) waitpid(writer, &status, 0);
        if (status == 0) measure(path);
        if (!keep) std::filesystem::remove(path);
        return status == 0 ? 0 : 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "open_bench: %s\n", error.what());
        if (writer == 0) _exit(2);
        return 2;
    }
}
