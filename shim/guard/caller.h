// Where the program called what is being done for it.
#pragma once

namespace wl::guard {

const void* caller();  // where it goes on; nullptr: no call of this thread's
// The same one function further out, as far as the stack can be walked; nullptr: it cannot.
const void* outer_caller();

}  // namespace wl::guard
