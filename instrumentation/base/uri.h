// Paths where a URI is wanted.
#pragma once

#include <string>

namespace wl {

// Every byte that is neither unreserved (RFC 3986, 2.3) nor a slash as %XX.
std::string percent_encoded(const std::string& path);

}  // namespace wl
