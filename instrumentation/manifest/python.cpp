// The exchange with the Python process: .npy files and two JSON files in its folder.
#include "instrumentation/manifest/python.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/output/json_text.h"
#include "instrumentation/base/text.h"
#include "instrumentation/manifest/npy.h"
#include "instrumentation/manifest/python_server.h"

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace wl::manifest {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string interpreter() {
    if (const char* chosen = std::getenv("WARPLENS_PYTHON"); chosen && *chosen) return chosen;
    std::error_code ignored;
    return fs::exists(WL_PYTHON, ignored) ? WL_PYTHON : "python3";
}

uint64_t first_word(const Tensor& data) {
    uint64_t word = 0;
    std::memcpy(&word, data.bytes.data(), sizeof word);
    return word;
}

json number(double value) {
    if (value == std::trunc(value) && std::abs(value) < 1e15) return static_cast<int64_t>(value);
    return value;
}

// Integers stay whole, so that the script can count to them and index by them.
json scalar(const Tensor& data) {
    if (data.dtype == DType::s64) return std::bit_cast<int64_t>(first_word(data));
    if (data.dtype == DType::u64) return first_word(data);
    return is_float(data.dtype) ? json(at(data, 0)) : json(static_cast<int64_t>(at(data, 0)));
}

// In a folder that is gone with the question: nothing of it needs to be on the disk.
void write_scratch(const std::string& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    if (!file.flush()) throw Error(fmt::format("cannot write {}: {}.", path, std::strerror(errno)));
}

// An address inside an array, which stands there itself.
bool is_view(const BoundArgument& a) { return !a.array && !a.pointers.empty(); }

// What stands for an argument in the request; arrays are written as files, of a table of addresses those that
// it points to.
json describe(const BoundArgument& argument, const std::string& folder, int& files) {
    if (argument.array && argument.pointers.empty()) {
        std::string name = fmt::format("input{}.npy", files++);
        write_scratch(folder + "/" + name, npy_of(argument.data));
        return name;
    }
    if (argument.pointers.empty() && argument.fields.empty()) return scalar(argument.data);
    json fields = json::object();
    for (const BoundArgument& field : argument.fields)
        if (!is_view(field)) fields[field.name] = describe(field, folder, files);
    return fields;
}

void write_request(const Problem& problem, const PythonOptions& options, const std::string& folder) {
    json request = {
        {"params", json::object()},
        {"inputs", json::object()},
        {"block",  nullptr       }
    };
    for (const auto& [name, value] : problem.params) request["params"][name] = number(value);
    int files = 0;
    for (const BoundArgument& argument : problem.args)
        if (!is_view(argument)) request["inputs"][argument.name] = describe(argument, folder, files);
    if (options.block) request["block"] = {options.block->x, options.block->y, options.block->z};
    write_scratch(folder + "/request.json", json_text(request, -1));
}

std::string last_lines(std::string text, int count) {
    text.erase(text.find_last_not_of("\n \t") + 1);
    size_t first = text.size();
    while (count-- > 0 && first != text.npos && first > 0) first = text.rfind('\n', first - 1);
    return text.empty() ? "It printed nothing." : first == text.npos ? text : text.substr(first + 1);
}

// Why there is no answer to read; empty: there may be one.
std::string problem_of(
    const PythonReply& reply, const std::string& python, const std::string& script, double timeout
) {
    if (reply.timed_out)
        return fmt::format(
            "{} did not return within {:g} seconds; WARPLENS_PYTHON_SECONDS=N allows more", script, timeout
        );
    if (reply.answered || reply.status == 0) return {};
    return fmt::format(
        "{} ended with status {} while it ran {}:\n{}",
        python,
        reply.status,
        script,
        last_lines(reply.output, 8)
    );
}

PythonReference read_answer(const PythonServer& server) {
    PythonReference reference;
    try {
        const json answer = json::parse(file_left(server, "answer.json"));
        reference.open = answer.value("open", "");
        reference.problem = answer.value("problem", "");
        if (!reference.problem.empty()) return reference;
        for (const auto& [name, file] : answer.at("tensors").items()) {
            const auto own = file.get<std::string>();
            reference.tensors.push_back(parse_npy(file_left(server, own), name, own));
        }
    } catch (const std::exception& e) {  // the script may have left the process, or written here
        reference = {{}, std::string("the Python reference left no answer: ") + e.what(), {}};
    }
    return reference;
}

double timeout_of(const PythonOptions& options) {
    constexpr double kTimeout = 300;  // seconds
    if (options.timeout > 0) return options.timeout;
    const char* asked = std::getenv("WARPLENS_PYTHON_SECONDS");
    const double seconds = asked != nullptr ? std::strtod(asked, nullptr) : 0;
    return std::isfinite(seconds) && seconds > 0 ? seconds : kTimeout;
}

// The manifest's folder: what lies beside it belongs to the kernel.
std::vector<std::string> readable(const Problem& problem, const PythonOptions& options) {
    std::vector<std::string> out = options.read;
    const fs::path manifest = problem.kernel.path;
    if (manifest.extension() == ".toml") out.push_back(fs::absolute(manifest).parent_path().string());
    return out;
}

// The script's path as the user wrote it.
std::string with_display_path(std::string text, const std::string& path, const std::string& shown) {
    for (size_t at = text.find(path); at != text.npos; at = text.find(path, at + shown.size()))
        text.replace(at, path.size(), shown);
    return text;
}

}  // namespace

PythonReference run_python_reference(
    const Problem& problem, const std::string& script, const PythonOptions& options
) {
    const std::string python = interpreter(), shown = display_path(script);
    const std::string path = fs::absolute(script).lexically_normal().string();
    PythonServer& server = *problem.python;
    const std::scoped_lock lock(server.mutex);
    if (!start(server, python, path, readable(problem, options)))
        return {
            {},
            fmt::format("cannot start {}; WARPLENS_PYTHON names the interpreter for {}", python, shown),
            {}};
    write_request(problem, options, server.folder);
    const double timeout = timeout_of(options);
    const PythonReply reply = ask(server, timeout);
    PythonReference reference;
    reference.problem = problem_of(reply, python, shown, timeout);
    if (reference.problem.empty()) reference = read_answer(server);
    reference.problem = with_display_path(reference.problem, path, shown);
    return reference;
}

}  // namespace wl::manifest
