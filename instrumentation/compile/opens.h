// What a library that is loaded opens: NVRTC has no option that lists the headers it read.
#pragma once

namespace wl::compile {

// From here on note_read is told each file that the library, by dlopen's handle, opens on a thread or fails
// to: its jumps to open and fopen of the C library (the slots of its procedure linkage table) lead there
// first. False: it has no such slots. May be called again.
bool note_opens_of(void* library);

}  // namespace wl::compile
