// What names say: of entries in the PTX, and of parameters.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace wl::app {

// "float const*", "int" of "void reduce<64>(float const*, int)"; nothing for a name that is not mangled.
std::vector<std::string> mangled_types(const std::string& symbol);

// The kernel's own word for it: "reduce" of "_Z6reduceILi256EEvPf".
std::string plain_name(const std::string& symbol);

// Is one of the words in the name, in whatever case?
bool has_word(std::string name, std::initializer_list<const char*> words);

// A parameter's name in expressions, some of whose words are taken.
std::string expression_name(const std::string& name);

// Of a whole number that is no extent: "mode", "offset".
bool is_switch(const std::string& name);

// What a pointer's type points to: "float const" of "float const*"; empty: it is no pointer.
std::string pointee(const std::string& type);
// It cannot be written through a pointer of the type.
bool points_to_const(const std::string& type);

}  // namespace wl::app
