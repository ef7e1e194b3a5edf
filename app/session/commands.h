// What a panel may ask of the session; carried out when the frame has been drawn.
#pragma once

#include "app/session/actions.h"
#include "app/session/navigate.h"
#include "app/session/state.h"

#include <optional>
#include <string>
#include <vector>

namespace wl::app {

struct Commands {
    std::vector<Act> acts;
    std::optional<KernelOptions> run, run_b;
    std::optional<std::string> open, open_b;               // path of a file
    std::optional<std::string> save, export_tile, report;  // the same
    std::optional<int64_t> record;                         // this block, too
    std::optional<SourcePlace> edit;                       // opened in the user's editor
    std::optional<std::string> editor;                     // the command that does
    std::string panel;                                     // comes to the front
    std::optional<int> find_difference;                    // the first tile of that mark that differs
    std::optional<int> try_fix;                            // that finding's patch runs as B
    bool cancel = false;                                   // the running worker
    bool count_banks = false;
    std::optional<std::string> ask_written;  // the name of an array
    std::optional<LaneQuestion> ask_lanes;
    bool ask_lanes_again = false;               // what a worker that ended was asked
    std::optional<std::string> step;            // words of `warplens at --step`
    std::optional<std::string> seek;            // options that name an instant of the block
    std::optional<Breakpoint> breakpoint;       // set there, or given this condition
    std::optional<Breakpoint> no_breakpoint;    // taken away
    std::optional<std::string> ask_writes;      // an element, with its iteration
    std::optional<std::string> seek_write;      // as `seek`; the selected tile stays
    bool seek_wrong = false;                    // the first wrong element is selected, and what wrote it
    std::optional<std::string> ask_fragments;   // options of `warplens at`
    std::optional<std::string> ask_shared;      // the same
    std::optional<std::string> ask_provenance;  // options of `warplens why`
    std::optional<LessonQuestion> ask_lesson;
    bool reset_layout = false;
    bool flip_theme = false;
    bool described = false;     // what a new manifest leaves to do has been read
    bool trust = false;         // what the capture names may be opened
    std::optional<float> zoom;  // of the interface
    bool quit = false;
};

}  // namespace wl::app
