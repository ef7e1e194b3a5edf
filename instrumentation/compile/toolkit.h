// Where NVRTC and CUDA's headers lie on this machine, and NVRTC's functions once it is open.
#pragma once

#include <string>
#include <vector>

namespace wl::compile {

struct Toolkit {
    std::string library;               // libnvrtc.so.13; empty: none was found
    std::vector<std::string> include;  // folders with cuda_fp16.h, mma.h and the CUDA C++ library
    std::vector<std::string> looked;   // places searched, in order, for the message when none was found
    std::string nvcc, clang;           // programs that take host code; empty: none was found
};

// $WARPLENS_NVRTC (a file or a folder; when set, nothing else counts), the wheels that ./dev unpacked, beside
// the program, $CUDA_HOME, $CUDA_PATH, /usr/local/cuda*, then the loader's own search path. nvcc:
// $WARPLENS_NVCC (when set, nothing else counts), beside NVRTC, in the same places, then in PATH; clang:
// $WARPLENS_CLANG, PATH.
Toolkit find_toolkit();

// The folder of warplens.cuh: beside the program, else in the source tree. Throws Error when it is nowhere.
std::string probe_folder();

// The part of nvrtc.h that is used, so that building needs no CUDA. A result of 0 is success.
using Program = void*;
struct Nvrtc {
    int (*version)(int* major, int* minor);
    const char* (*error_string)(int result);
    int (*create
    )(Program*, const char* source, const char* name, int headers, const char* const*, const char* const*);
    int (*destroy)(Program*);
    int (*compile)(Program, int options, const char* const*);
    int (*log_size)(Program, size_t*);
    int (*log)(Program, char*);
    int (*ptx_size)(Program, size_t*);
    int (*ptx)(Program, char*);
    int (*add_name)(Program, const char* expression);
    int (*lowered_name)(Program, const char* expression, const char** lowered);
};

// Opens the library; it stays loaded for the life of the process. Throws Error when nothing was found (saying
// where it was looked for) or when the library does not load.
Nvrtc open_nvrtc(const Toolkit& toolkit);

}  // namespace wl::compile
