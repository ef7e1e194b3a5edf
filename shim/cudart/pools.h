// Pools of memory by their handles. All of them give what the device has, and what is freed goes back at
// once.
#pragma once

namespace wl::cudart {

// The default one, or one that was made and not destroyed.
bool is_pool(const void* handle);
// Made for other processes, too.
bool is_exported(const void* handle);

}  // namespace wl::cudart
