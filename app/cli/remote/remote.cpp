// One connection: a script for the other machine's sh, whose stdin is what it unpacks, and whose stdout is
// what the program there said and the capture that it wrote.
#include "app/cli/remote/remote.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/atomic_file.h"
#include "instrumentation/base/os/descriptor.h"
#include "instrumentation/base/os/process.h"
#include "instrumentation/base/os/shell_word.h"
#include "instrumentation/base/os/standard_streams.h"
#include "instrumentation/base/output/terminal.h"
#include "instrumentation/base/scratch.h"
#include "instrumentation/base/text.h"
#include "instrumentation/capture/file.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <sstream>

namespace wl::app {
namespace {

constexpr const char* kHead =
    "warplens-remote";                      // before the answer: status, bytes said, bytes of the capture
constexpr int kMissing = 96, kNoRoom = 97;  // exit status of the script

std::string tar_of(const Upload& upload) {
    const Scratch scratch;
    std::vector<std::string> words = {"tar", "-C", upload.folder, "-cf", scratch.path + "/upload.tar", "--"};
    words.insert(words.end(), upload.files.begin(), upload.files.end());
    constexpr double kSeconds = 600;
    const Finished done = run_process(words, scratch.path + "/log", kSeconds);
    if (!done.started) throw Error("--host needs tar, which is not there");
    if (done.status != 0) throw Error("the files of the run cannot be packed: " + done.output);
    return read_text_file(scratch.path + "/upload.tar");
}

bool wants_colour(const OutputOptions& o) {
    return o.color == "always" ||
        (o.color == "auto" && is_terminal(kOutput) && std::getenv("NO_COLOR") == nullptr);
}

// A path that is not taken for an option.
std::string no_option(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

std::vector<std::string> words_for(const Command& c, const Upload& upload) {
    KernelOptions kernel = split_faults(c.kernel);
    kernel.kernel = no_option(upload.kernel), kernel.host.clear(), kernel.remote_program.clear();
    if (!upload.inputs.empty()) kernel.inputs = no_option(upload.inputs);
    std::vector<std::string> words = {c.verb};
    const std::vector<std::string> about = words_of(kernel);
    words.insert(words.end(), about.begin(), about.end());
    words.insert(words.end(), {"--progress", "--quiet", "--format", c.output.format, "-o", ".capture"});
    words.insert(words.end(), {"--color", wants_colour(c.output) ? "always" : "never"});
    if (c.output.verbose) words.emplace_back("-v");
    if (c.seeds != 1) words.insert(words.end(), {"--seeds", std::to_string(c.seeds)});
    if (!c.presets.empty()) words.insert(words.end(), {"--presets", join(c.presets, ",")});
    return words;
}

// The program reads nothing; what still waits for our stdin ends it when we are gone. Of a script that did
// not come whole nothing is executed, as its brace is not closed.
std::string script_for(const std::string& program, const std::vector<std::string>& words, size_t bytes) {
    std::string command = program;
    for (const std::string& word : words) command += " " + shell_word(word);
    std::string script = fmt::format(
        R"({{
d=$(mktemp -d "${{TMPDIR:-/tmp}}/warplens-remote-XXXXXX") || exit {no_room}
worker=; watch=
clean() {{ [ -z "$worker" ] || kill "$worker" 2>/dev/null; [ -z "$watch" ] || kill "$watch" 2>/dev/null; cd /; rm -rf "$d"; }}
trap clean EXIT
trap 'exit {no_room}' HUP INT TERM PIPE
exec 3<&0
head -c {bytes} | tar -xf - -C "$d" || exit {no_room}
cd "$d" || exit {no_room}
command -v {program} >/dev/null 2>&1 || exit {missing}
{command} >.said </dev/null &
worker=$!
(cat <&3; kill "$worker") >/dev/null 2>&1 &
watch=$!
wait "$worker"; status=$?
worker=
[ -f .capture ] || : >.capture
echo {head} "$status" $(wc -c <.said) $(wc -c <.capture)
cat .said .capture
}}
)",
        fmt::arg("no_room", kNoRoom),
        fmt::arg("missing", kMissing),
        fmt::arg("bytes", bytes),
        fmt::arg("program", program),
        fmt::arg("command", command),
        fmt::arg("head", kHead)
    );
    return script;
}

// The answer's parts: of a link that broke on the way nothing is taken.
struct Answer {
    int status = 0;
    std::string said, capture;
};

std::optional<Answer> parts_of(const std::string& output) {
    const size_t begin = output.find(std::string(kHead) + " ");  // behind what a login shell may print
    const size_t line = begin == std::string::npos ? begin : output.find('\n', begin);
    if (line == std::string::npos) return std::nullopt;
    std::istringstream head(output.substr(begin, line - begin));
    std::string word;
    Answer out;
    size_t said = 0, capture = 0;
    const size_t held = output.size() - line - 1;
    const bool numbers = static_cast<bool>(head >> word >> out.status >> said >> capture);
    if (!numbers || said > held || capture != held - said) return std::nullopt;
    out.said = output.substr(line + 1, said), out.capture = output.substr(line + 1 + said, capture);
    return out;
}

// What came back takes the place of a file only if it is a capture.
void keep_capture(const Command& c, const std::string& bytes, const std::string& path) {
    const std::span<const std::byte> file = std::as_bytes(std::span(bytes));
    try {
        capture::decode(file, "what " + c.kernel.host + " sent");
    } catch (const Error& problem) {
        throw Error(fmt::format("{} {} is left as it was.", problem.what(), path));
    }
    write_file_atomically(path, file);
}

[[noreturn]] void refuse(const Command& c, const RemoteAnswer& answer) {
    const std::string& host = c.kernel.host;
    const std::string program = c.kernel.remote_program.empty() ? "warplens" : c.kernel.remote_program;
    if (answer.status == kMissing)
        throw Error(fmt::format(
            "{} has no program {}: put warplens on its PATH, or say where it lies by --remote-warplens PATH",
            host,
            program
        ));
    if (answer.status == kNoRoom)
        throw Error(fmt::format("{} could not unpack the files of the run: {}", host, answer.last_line));
    throw Error(fmt::format(
        "the connection to {} failed or broke before the run was over, and nothing was written{}{}",
        host,
        answer.last_line.empty() ? "" : ": ",
        answer.last_line
    ));
}

}  // namespace

void add_remote_options(CLI::App& verb, KernelOptions& k) {
    verb.add_option(
        "--host", k.host, "USER@MACHINE: run there, by the system's ssh, and bring the capture back"
    );
    verb.add_option(
        "--remote-warplens", k.remote_program, "the program there; default: warplens on its PATH"
    );
}

int run_remotely(const Command& c, const std::string& capture) {
    if (c.kernel.host.starts_with('-')) throw Error("--host " + c.kernel.host + ": write USER@MACHINE");
    const Upload upload = upload_of(c.kernel);
    const std::string tar = tar_of(upload);
    const std::string program =
        c.kernel.remote_program.empty() ? "warplens" : shell_word(c.kernel.remote_program);
    const std::string script = script_for(program, words_for(c, upload), tar.size());
    const RemoteAnswer answer = run_over_ssh({c.kernel.host, script, tar}, c.output);
    const std::optional<Answer> parts = parts_of(answer.output);
    if (answer.status != 0 || !parts) refuse(c, answer);
    if (!capture.empty() && !parts->capture.empty()) keep_capture(c, parts->capture, capture);
    print_text(wants_colour(c.output) ? with_its_colours(parts->said) : parts->said);
    const bool told =
        c.output.format != "text" || c.output.quiet || capture.empty() || parts->capture.empty();
    if (!told) print_text("capture: " + capture + "\n");
    if (parts->status > kExitUnsupported || !answer.last_line.empty())
        print_notice(c.kernel.host + ": " + answer.last_line + "\n");
    return parts->status;
}

}  // namespace wl::app
