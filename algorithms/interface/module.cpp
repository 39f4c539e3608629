#include "algorithms/interface/module.h"

#include <dlfcn.h>

#include <filesystem>

#include "algorithms/interface/registry.h"

namespace convlens {

namespace {

constexpr const char* kModules[] = {"onednn"};

// The folders to look in: that of the program, and that of this library.
std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> found;
  std::error_code none;
  if (const auto program = std::filesystem::read_symlink("/proc/self/exe", none); !none) found.push_back(program.parent_path());
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&load_modules), &here) != 0 && here.dli_fname != nullptr)
    found.push_back(std::filesystem::path(here.dli_fname).parent_path());
  return found;
}

Module load(const std::string& name) {
  const std::string file = "libconvlens_" + name + ".so";
  for (const auto& folder : folders()) {
    const auto path = folder / file;
    if (!std::filesystem::exists(path)) continue;
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {name, dlerror()};
    const auto rows = reinterpret_cast<ModuleRows>(dlsym(library, "convlens_module"));
    if (rows == nullptr) return {name, file + " is not a module"};
    add_algorithms(rows());
    return {name, ""};
  }
  return {name, "built without it"};
}

}  // namespace

const std::vector<Module>& load_modules() {
  static const std::vector<Module> modules = [] {
    std::vector<Module> loaded;
    for (const char* name : kModules) loaded.push_back(load(name));
    return loaded;
  }();
  return modules;
}

}  // namespace convlens
