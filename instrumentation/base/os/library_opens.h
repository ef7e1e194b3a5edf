// What a library that is loaded opens.
#pragma once

#include "instrumentation/base/os/library.h"

namespace wl {

// From here on `note` gets each file that the library opens to read, or fails to: its jumps to open and fopen
// of the C library (the slots of its procedure linkage table) lead there first. False: it has no such slots.
// May be called again; there is one `note`.
bool note_opens_of(Library library, void (*note)(const char* path));

}  // namespace wl
