// The templates, one a family of opcodes. Each gives no case for a row that it does not serve.
#pragma once

#include "tests/conformance/kernel.h"

namespace wl::conformance {

std::vector<Case> elementwise_cases(const ptx::Form& form);  // registers in, registers out
std::vector<Case> carry_cases(const ptx::Form& form);        // the condition code in and out
std::vector<Case> move_cases(const ptx::Form& form);         // mov, cvta, isspacep
std::vector<Case> video_cases(const ptx::Form& form);
std::vector<Case> memory_cases(const ptx::Form& form);  // ld, st, prefetch, ...
std::vector<Case> atomic_cases(const ptx::Form& form);
std::vector<Case> async_copy_cases(const ptx::Form& form);
std::vector<Case> mbarrier_cases(const ptx::Form& form);
std::vector<Case> barrier_cases(const ptx::Form& form);  // bar, fence, membar
std::vector<Case> texture_cases(const ptx::Form& form);
std::vector<Case> surface_cases(const ptx::Form& form);
std::vector<Case> warp_cases(const ptx::Form& form);
std::vector<Case> control_cases(const ptx::Form& form);
std::vector<Case> mma_cases(const ptx::Form& form);
std::vector<Case> wmma_cases(const ptx::Form& form);
std::vector<Case> matrix_move_cases(const ptx::Form& form);
std::vector<Case> warpgroup_cases(const ptx::Form& form);

}  // namespace wl::conformance
