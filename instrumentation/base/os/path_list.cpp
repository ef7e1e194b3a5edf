#include "instrumentation/base/os/path_list.h"

#include "instrumentation/base/error.h"
#include "instrumentation/base/os/files.h"

#include <cstdlib>
#include <sstream>

namespace wl {
namespace {

std::string value_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr ? value : "";
}

}  // namespace

std::string in_front(const std::string& path, const char* variable, const std::string& separators) {
    if (const size_t at = path.find_first_of(separators); at != std::string::npos)
        throw Error(
            path + " holds a '" + path[at] + "', which ends a path in " + variable +
            "; move or install WarpLens into a folder without one"
        );
    const std::string had = value_of(variable);
    return had.empty() ? path : path + separators.front() + had;
}

std::vector<std::string> folders_of(const char* variable) {
    std::vector<std::string> out;
    std::istringstream list(value_of(variable));
    for (std::string folder; std::getline(list, folder, ':');)
        if (!folder.empty()) out.push_back(folder);
    return out;
}

std::string program_in_path(const std::string& name) {
    for (const std::string& folder : folders_of("PATH"))
        if (const std::string file = std::string(folder).append("/").append(name); is_executable(file))
            return file;
    return {};
}

}  // namespace wl
