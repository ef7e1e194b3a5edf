// Whose code of the device it is: the program's, a library's, or one of NVIDIA's libraries'.
#pragma once

#include <string>

namespace wl::runtime {

// The file of this process in which the address lies; empty: in none.
std::string file_of(const void* at);
bool is_of_nvidia(const std::string& file);

// Why machine code that lies at `at` cannot run, and what can be done. `kinds`: " (sm_80)", or nothing.
std::string about_machine_code(const void* at, const std::string& kinds);
// The same of a library of NVIDIA's, whatever it asks for.
std::string about_library(const std::string& file);

}  // namespace wl::runtime
