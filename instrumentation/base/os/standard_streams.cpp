// dup(2), memfd_create(2).
#include "instrumentation/base/os/standard_streams.h"

#include "instrumentation/base/os/descriptor.h"

#include <algorithm>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace wl {

bool is_terminal(int descriptor) { return isatty(descriptor) != 0; }

void hold_standard_streams() {
    for (const int descriptor : {kInput, kOutput, kErrors})
        if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY);  // the lowest that is free: this one
}

void output_goes_to_errors() { dup2(kErrors, kOutput); }

KeptOutput::KeptOutput() : standard_(dup(kOutput)), file_(memfd_create("output", 0)) {
    std::fflush(stdout);
    if (standard_ >= 0 && file_ >= 0) dup2(file_, kOutput);
}

KeptOutput::~KeptOutput() {
    static_cast<void>(end());
    close_descriptor(standard_), close_descriptor(file_);
}

std::string KeptOutput::end() {
    if (standard_ < 0 || file_ < 0) return {};
    std::fflush(stdout);
    dup2(standard_, kOutput);
    std::string text(static_cast<size_t>(std::max<off_t>(lseek(file_, 0, SEEK_END), 0)), '\0');
    const ssize_t got = pread(file_, text.data(), text.size(), 0);
    text.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return text;
}

}  // namespace wl
