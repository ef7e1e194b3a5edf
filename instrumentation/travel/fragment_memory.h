// Which bytes of memory a fragment's registers came from or go to, and which marked matrix these belong to.
// Internal to travel.
#pragma once

#include "instrumentation/fragments/live.h"
#include "instrumentation/travel/route.h"

#include <map>
#include <set>

namespace wl::travel {

bool is_matrix_load(const ptx::Instruction& in);

// The instruction, in the user's own file, that a site was inlined into; the site itself where there is none.
uint32_t user_site(const Route& route, uint32_t site);

// "v2c_4.cu:75", of the user's own line; empty: the site has none.
std::string user_place(const Route& route, uint32_t site);

// Who wrote each of these registers last, before the instant, in the same call of its function.
std::map<int32_t, emulator::Here> last_makers(
    Route& route, const emulator::Here& before, const std::set<int32_t>& regs
);

// A register of the load or store at the route's instant: number `of_fragment` of the operand's.
struct MovedRegister {
    int of_fragment = 0;
    int32_t reg = -1;
};
// Its elements' addresses, and once for the operand the matrix that they lie in. The route ends where it
// began.
void add_memory(Route& route, const MovedRegister& moved, fragments::Live& live, fragments::Operand& o);

}  // namespace wl::travel
