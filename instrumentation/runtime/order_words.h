// Operations of a program in words: which they are, where they were issued, what they touch.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/runtime/ordering.h"

#include <string>

namespace wl::runtime {

// One of two operations that meet.
struct Side {
    const order::Operation& operation;
    const order::Touch& touch;
    const Label& label;
    capture::Where where;    // of the kernel's line, or of the call
    std::string issued;      // "main.cu:12", of the host; empty: unknown
    std::string name, verb;  // "launch 2, smooth(float*)", "reads"
};

Side side_of(Machine& machine, const order::Operation& operation, const order::Touch& touch);

// "main.cu:12", or a function and its file; empty: not even these.
const std::string& place_of(Label& label);
capture::Where where_of_call(const std::string& place);
std::string at(const std::string& place);   // " at main.cu:12"
std::string line_of(const Side& side);      // of the kernel, else of the call
std::string told(const Side& side);         // who, to which stream, where, and what it does
std::string as_sentence(std::string text);  // begun with a capital letter
std::string memory_of(const Machine& machine, uint64_t begin, uint64_t bytes);

}  // namespace wl::runtime
