// The one way of text to stdout and stderr. What steers a terminal is shown (visible.h), except for our own
// colours.
#pragma once

#include <string>
#include <string_view>

namespace wl {

// `text` between the SGR sequence of `code` (ECMA-48, 8.3.117: "31", red) and a reset, in marks that the
// functions below turn into escapes. A mark holds a number that only this process knows, so that no file can
// hold one.
std::string coloured(const char* code, std::string_view text);
// What a program of ours, which shows the texts of its files itself, printed with `coloured`.
std::string with_its_colours(std::string_view printed);

void print_text(std::string_view text);    // to stdout: reports and JSON
void print_notice(std::string_view text);  // to stderr
// A patch, a script: byte for byte what another program reads; on a terminal shown as everything is.
void print_data(std::string_view data);
// The line of a terminal's stderr that tells how far it is, written over again; empty: gone.
void print_progress(std::string_view text);

}  // namespace wl
