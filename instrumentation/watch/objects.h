// Objects of a source type: elements, members and scalars out of registers or memory. Internal to watch.
#pragma once

#include "instrumentation/watch/watch.h"

namespace wl::watch {

const variables::Type* type_of(const Value& value, const Environment& environment);

// The object that lies `offset` bytes (by lane) into another, of another type.
Value part(
    const Value& object, int type, const std::array<int64_t, kLanes>& offset, const Environment& environment
);

// What a pointer, or an array's first element, points at. Throws Error when the value is neither.
Value pointed_at(const Value& value, const Environment& environment);

// An element, by lane; of an array (bounds checked: a lane outside has no value) or through a pointer.
Value element(const Value& object, const Value& index, const Environment& environment);

// Of a reference what it refers to; any other value as it is.
Value referred(const Value& value, const Environment& environment);

// A member of an object by name, its base classes' too; nothing where it has none.
std::optional<Value> member_if_any(
    const Value& object, const std::string& name, const Environment& environment
);

// The same through a pointer too. Throws Error naming the members there are.
Value member(const Value& object, const std::string& name, const Environment& environment);

}  // namespace wl::watch
