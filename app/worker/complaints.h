// What a compiler says of a source, as it stands in a worker's stderr.
#pragma once

#include <optional>
#include <string>

namespace wl::app {

struct Complaint {
    std::string file;
    int line = 0;  // from 1
    std::string text;
};

std::string text_of(const Complaint& complaint);  // "own.cu:62: identifier ..."

// "own.cu:62: error: identifier ...", "own.cu(62): error: ..." and the same with a column.
std::optional<Complaint> complaint_from_line(const std::string& line);

}  // namespace wl::app
