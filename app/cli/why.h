// warplens why: the chain behind one element, for people and as JSON.
#pragma once

#include "instrumentation/capture/capture.h"
#include "instrumentation/diagnosis/provenance.h"

#include <string>

namespace wl::app {

struct WhyReport {
    const capture::Capture& capture;
    diagnosis::Asked asked;
    diagnosis::Provenance chain;
};
std::string why_text(const WhyReport& r);
std::string why_json(const WhyReport& r);

}  // namespace wl::app
