// One entry a name: included where the functions' declarations are in sight and WL_NAME lists names. Names
// that no header declares are Undeclared, of which an entry hands on what registers hold.
#define WL_ENTRY(symbol)                                                                                  \
    using type_of_##symbol = std::conditional_t<                                                          \
        std::is_same_v<std::remove_cv_t<decltype(symbol)>, Undeclared>,                                   \
        Untyped,                                                                                          \
        decltype(symbol)>;                                                                                \
    extern "C" type_of_##symbol wl_impl_##symbol;                                                         \
    constexpr wl::guard::Rules rules_of_##symbol = wl::guard::rules_of(#symbol);                          \
    __attribute__((used)) static type_of_##symbol* const wl_entry_##symbol __asm__("wl_entry_" #symbol) = \
        &wl::guard::Entry<type_of_##symbol>::call<&wl_impl_##symbol, rules_of_##symbol>;                  \
    __asm__(".text\n.globl " #symbol "\n.type " #symbol ",@function\n" #symbol                            \
            ":\n"                                                                                         \
            "    jmp *wl_entry_" #symbol "(%rip)\n.size " #symbol ", .-" #symbol "\n");
