// Where the source of a kernel says how a matrix in shared memory is laid out, and how that line would read
// with other rows. By the text alone: what the compiler makes of it is not known here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wl::app {

using Numbers = std::map<std::string, int64_t>;  // parameters and defines by name

// "float tile[32][33];" and its like.
struct Declaration {
    int line = 0;         // from 1; 0: none was found
    std::string text;     // of the line
    std::string element;  // "float"
    std::string extent;   // of the last dimension, as it is written
    int64_t value = 0;    // the same; 0: it could not be computed
    int dimensions = 0;
};
Declaration declaration_of(const std::string& source, const std::string& name, const Numbers& numbers);

// The line that sets the leading dimension of the matrix that the mark at `line` names: what the mark's own
// argument stands for, else the array's declaration. `then`: the same line with `more` elements.
struct LeadingLine {
    int line = 0;  // 0: not found
    std::string now, then;
};
LeadingLine leading_line(const std::string& source, int line, const std::string& name, int more);

// The array that the mark's pointer goes into: "k" of WL_TILE("K", sh.k[stage], ...). Empty: not found.
std::string marked_array(const std::string& source, int line, const std::string& name);

}  // namespace wl::app
