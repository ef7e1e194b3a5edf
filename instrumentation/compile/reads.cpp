// What the system says of each file; its content only where that says nothing.
#include "instrumentation/compile/reads.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/files.h"
#include "instrumentation/base/text.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

namespace wl::compile {
namespace {

thread_local Reading* current = nullptr;

// Without its hash; nothing: there is no regular file of this name.
std::optional<ReadFile> looked_at(const std::string& path) {
    const std::optional<FileState> state = state_of(path);
    if (!state) return std::nullopt;
    ReadFile file;
    file.path = path;
    file.size = state->bytes, file.inode = state->inode;
    file.modified = state->modified, file.changed = state->changed;
    return file;
}

bool is_as_read(const ReadFile& before) {
    const std::optional<ReadFile> now = looked_at(before.path);
    if (!now || before.hash.empty()) return !now && before.hash.empty();
    const bool untouched = now->size == before.size && now->inode == before.inode &&
        now->modified == before.modified && now->changed == before.changed;
    if (untouched) return true;
    return now->size == before.size && sha256_hex(read_text_file(before.path)) == before.hash;
}

}  // namespace

// Compilers begin so much later that what is written meanwhile has a later time than `since`, and what was
// written before an earlier one.
Reading::Reading() : since(time_of_files()), before_(current) {
    std::this_thread::sleep_for(2 * std::chrono::nanoseconds(step_of_file_times()));
    current = this;
}

Reading::~Reading() { current = before_; }

void note_read(const std::string& path) {
    if (current == nullptr) return;
    std::error_code ignored;
    current->paths.insert(std::filesystem::absolute(path, ignored).string());
}

void note_unknown_reads() {
    if (current != nullptr) current->known = false;
}

std::optional<std::vector<ReadFile>> files_of(const Reading& reading) {
    if (!reading.known) return std::nullopt;
    std::vector<ReadFile> out;
    for (const std::string& path : reading.paths) {
        ReadFile file = looked_at(path).value_or(ReadFile{path, {}, 0, 0, 0, 0});
        if (file.changed > reading.since) return std::nullopt;
        try {
            if (file.inode != 0) file.hash = sha256_hex(read_text_file(path));
        } catch (const Error&) { return std::nullopt; }
        out.push_back(std::move(file));
    }
    return out;
}

bool are_as_read(const std::vector<ReadFile>& files) {
    try {
        return std::all_of(files.begin(), files.end(), is_as_read);
    } catch (const Error&) { return false; }
}

}  // namespace wl::compile
