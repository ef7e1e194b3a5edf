// What is wrong in two lines: the sentence, the source as it is and as it should be, and how that is known.
#pragma once

#include "app/session/selection.h"
#include "app/session/state.h"

#include <optional>
#include <string>
#include <string_view>

namespace wl::app {

struct Headline {
    int finding = -1;  // index in Capture::findings
    std::string sentence;
    std::string place;       // "v2c_3.cu:104"; empty: none
    std::string was, now;    // the line as it stands, without its indent; as the finding's patch has it
    bool has_patch = false;  // with an empty `was` a line comes, with an empty `now` one goes
    std::string known;       // "proven", "mends", "witness"
    std::string advice;      // without a patch: what the finding says to do, or what was seen
    std::string outcome;     // of the fix that ran as B; empty: it did not
    bool mends = false;      // that B is right
};

// Of the selected finding, else the first. Nothing: there is none.
std::optional<Headline> headline_of(const Session& session, const Selection& selection);
// The change of the source that mends it, where the run found one; empty: none is known.
std::string patch_of(const Session& session, int finding);
// The finding after the shown one, round the end: causes first, in the order of the list.
int finding_after(const Session& session, int finding);

// The text after the changes of a patch to that file; nothing: it is not of this text.
std::optional<std::string> patched(std::string_view text, std::string_view patch, const std::string& file);

}  // namespace wl::app
