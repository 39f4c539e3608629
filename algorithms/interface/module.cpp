#include "algorithms/interface/module.h"

#include <dlfcn.h>

#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "algorithms/error.h"

namespace convlens {

namespace {

namespace fs = std::filesystem;

// The folders of the program and of this library, and those that an installation puts modules in.
std::vector<fs::path> folders() {
  std::vector<fs::path> found;
  std::error_code unknown;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", unknown); !unknown)
    found = {program.parent_path(), program.parent_path().parent_path() / "lib" / "convlens"};
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&load_module), &here) != 0 && here.dli_fname != nullptr) {
    const fs::path folder = fs::path(here.dli_fname).parent_path();
    found.insert(found.end(), {folder, folder / "convlens"});
  }
  return found;
}

std::string file_name(std::string_view name) { return "convlens_" + std::string(name) + ".so"; }

Module find_module(std::string_view name) {
  for (const fs::path& folder : folders()) {
    std::error_code unreadable;
    if (fs::exists(folder / file_name(name), unreadable)) return load_module(name, (folder / file_name(name)).string());
  }
  Module nowhere;
  nowhere.name = name;
  nowhere.missing = file_name(name) + " is neither beside the program nor in lib/convlens";
  return nowhere;
}

}  // namespace

const Algorithm& Module::row(std::string_view id) const {
  for (const Algorithm* row : exports.rows)
    if (row->id == id) return *row;
  throw Unsupported(std::string(id) + ": " + (missing.empty() ? "not a row of the module " + name : missing));
}

Module load_module(std::string_view name, const std::string& file) {
  Module module;
  module.name = name;
  module.found = true;
  // Never closed: its rows are used until the program ends.
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    module.missing = dlerror();  // "libdnnl.so.2: cannot open shared object file: No such file or directory"
    return module;
  }
  const auto entry = reinterpret_cast<ModuleEntry>(dlsym(library, kModuleEntry));
  if (entry == nullptr) {
    module.missing = file + " is no module: it lacks " + kModuleEntry;
    return module;
  }
  const ModuleExports& exports = *entry();
  if (exports.sizes != ModuleExports{}.sizes)
    module.missing = file + " is from another build";
  else
    module.exports = exports;
  return module;
}

const Module& module(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, Module, std::less<>> loaded;
  const std::lock_guard lock(mutex);
  const auto found = loaded.find(name);
  return found != loaded.end() ? found->second : loaded.emplace(name, find_module(name)).first->second;
}

}  // namespace convlens
