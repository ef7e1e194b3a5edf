// warplens why: the chain behind one element, for people and as JSON.
#pragma once

#include "app/cli/questions/at.h"
#include "instrumentation/capture/capture.h"
#include "instrumentation/diagnosis/why/provenance.h"

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace wl::app {

// A capture with its blocks, prepared once and asked about many elements.
struct Inquiry {
    Command command;
    capture::Capture capture;
    std::map<int64_t, std::unique_ptr<Trip>> trips;  // by block
};
// Runs the kernel, or reads the capture, that the command names. Throws Error and Unsupported.
std::unique_ptr<Inquiry> begin_inquiry(const Command& command);

struct WhyReport {
    const capture::Capture& capture;
    diagnosis::Asked asked;
    bool addresses = false;  // WhyOptions::addresses
    diagnosis::Provenance chain;
    std::string note;  // what of the answer is missing, because a file names what would have to run
};
// Throws Error when there is no such element.
WhyReport why(Inquiry& inquiry, const WhyOptions& o);

std::string why_text(const WhyReport& r);
nlohmann::ordered_json why_json(const WhyReport& r);

// The text of the first wrong element of a run that `command` made; empty: there is none, or it cannot be
// asked again.
std::string first_wrong_chain(const Command& command, const capture::Capture& capture);

// Every line of stdin holds options of `why` that name an element; its answer is one line of JSON with the
// line in "question", and "error" where there is none. Ends with stdin.
int serve_why(const Command& command);

}  // namespace wl::app
