// The verbs that draw: pictures of tiles, and the window.
#include "app/cli/executors.h"
#include "app/cli/formats/page.h"
#include "app/cli/questions/again.h"
#include "app/cli/verbs.h"
#include "app/session/edit/open.h"
#include "app/shell/picture.h"
#include "app/shell/plain.h"
#include "app/shell/window.h"
#include "instrumentation/analysis/diff.h"
#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/os/signals.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"
#include "instrumentation/launches/launch_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace wl::app {

namespace {

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
    const std::string near = nearest_word(word, known);
    return near.empty() ? "there are " + join(known, ", ") : "did you mean " + near + "?";
}

// The tile that `show` is asked for: of the recorded block unless told, at its first wrong iteration unless
// told.
int find_tile(const capture::Capture& c, const TileOptions& options) {
    std::vector<std::string> names;
    for (const capture::Probe& p : c.probes) names.push_back(p.name);
    if (std::find(names.begin(), names.end(), options.tile) == names.end())
        throw Error(
            "--tile " + options.tile + ": no such tile in this capture; " + did_you_mean(options.tile, names)
        );
    const int64_t block = options.block.empty() ? -1 : parse_block(options.block, c.launch.grid);
    int found = -1;
    bool any = false, kept = false;
    for (size_t i = 0; i < c.tiles.size(); ++i) {
        const capture::Tile& t = c.tiles[i];
        if (c.probes[static_cast<size_t>(t.probe)].name != options.tile ||
            (block >= 0 && t.block != block && t.block != capture::kWholeLaunch))
            continue;
        if (options.iteration >= 0 && t.iteration != options.iteration) continue;
        any = true;
        if (t.values == capture::kNoBlob) continue;
        kept = true;
        const bool wrong = found >= 0 && c.tiles[static_cast<size_t>(found)].verdict == capture::Verdict::bad;
        if (!wrong) found = static_cast<int>(i);
    }
    if (!any)
        throw Error(fmt::format(
            "tile {} has no iteration {}{}; `warplens tiles` lists what there is",
            options.tile,
            options.iteration,
            options.block.empty() ? "" : " in block " + options.block
        ));
    if (!kept)
        throw Error(fmt::format(
            "block {} was not recorded, so its tile {} has a verdict but no elements; run again with "
            "--record {}",
            options.block,
            options.tile,
            options.block
        ));
    return found;
}

std::pair<int, int> parse_size(const std::string& text) {
    int width = 0, height = 0;
    const char* end = text.data() + text.size();
    const auto [x, problem] = std::from_chars(text.data(), end, width);
    const bool split = problem == std::errc() && x != end && *x == 'x';
    if (!split || std::from_chars(x + 1, end, height).ptr != end || width < 640 || height < 400 ||
        width > 16384 || height > 16384) {
        throw Error("--size " + text + ": write WIDTHxHEIGHT, for example 1920x1080");
    }
    return {width, height};
}

// Those that are shipped, and the one that was named or of which the capture was made.
std::vector<KernelChoice> choices(const OpenRequest& request, const KernelOptions& given) {
    std::vector<KernelChoice> out;
    for (const std::string& path : manifest::shipped()) out.push_back(describe_kernel(path));
    for (KernelChoice& choice : out) choice.path.clear();
    std::string own = request.run.kernel;
    try {
        if (!request.capture.empty()) own = options_of(capture::open_capture(request.capture), given).kernel;
    } catch (const Error&) { return out; }  // it may not be opened: the capture can be looked at all the same
    if (is_capture(own)) return out;
    if (launches::is_launch_file(own)) {
        out.insert(out.begin(), {own, "a recorded launch", own, {}, {}});
        return out;
    }
    if (own.empty()) return out;
    KernelChoice named = describe_kernel(own);
    if (!named.path.empty()) out.insert(out.begin(), std::move(named));
    return out;
}

}  // namespace

int verb_show(const Command& command) {
    static constexpr std::array<const char*, 8> kViews{
        "got", "reference", "difference", "relative", "ratio", "ulp", "owner", "coverage"};
    const std::optional<View> view = view_from_name(command.tile.view);
    if (!view)
        throw Error(
            "--view " + command.tile.view + ": no such view; " +
            did_you_mean(command.tile.view, {kViews.begin(), kViews.end()})
        );
    const capture::Capture c = capture::read_capture(command.kernel.kernel);
    const int tile = find_tile(c, command.tile);
    if (command.tile.plain)
        write_text_file(command.tile.out, plain_picture(c, tile, *view, kPlainMost).png);
    else
        write_tile_picture(c, tile, *view, command.tile.out);
    if (!command.output.quiet) print_notice(command.tile.out + "\n");
    return kExitOk;
}

OpenRequest open_request(const Command& command) {
    OpenRequest r;
    if (is_capture(command.kernel.kernel)) {
        r.capture = command.kernel.kernel;
    } else if (is_text_or_array(command.kernel.kernel)) {
        r.text = command.kernel.kernel;
    } else if (!command.kernel.kernel.empty()) {
        diagnosis::Options unused = run_options(command.kernel);
        if (command.kernel.host.empty())
            static_cast<void>(choose_executors(command.kernel, unused));  // --on gpu without one
        static_cast<void>(bind(command.kernel)
        );  // a mistake in the words is an error here, before a window opens
        r.run = command.kernel;
    }
    r.kernels = choices(r, command.kernel);
    r.interrupted = interrupted;
    r.write_report = [](const capture::Capture& c, const std::string& path) { write_page(c, {}, path); };
    if (command.screenshot.empty() && command.script.empty()) r.settings = settings_path();
    r.program = std::filesystem::read_symlink("/proc/self/exe").string();
    r.screenshot = command.screenshot, r.script = command.script, r.scale = command.scale;
    if (!command.theme.empty()) r.light = command.theme == "light";
    std::tie(r.width, r.height) = parse_size(command.size);
    return r;
}

int verb_open(const Command& command) {
    const int status = open_window(open_request(command));
    return interrupted() ? exit_status_of_interruption() : status;
}

}  // namespace wl::app
