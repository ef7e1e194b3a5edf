// Where the program called what is being done for it.
#pragma once

namespace wl::guard {

const void* caller();  // where it goes on; nullptr: no call of this thread's

}  // namespace wl::guard
