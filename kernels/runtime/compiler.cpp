#include "kernels/runtime/compiler.h"

#include "kernels/runtime/nvrtc.h"
#include "kernels/text.h"

namespace convlens::gpu {

namespace {
// A long fuzz run compiles thousands of texts; beyond this the memory starts afresh.
constexpr std::size_t kMostMemory = std::size_t{256} << 20;
}  // namespace

Compiled Compiler::compile(const Kernel& kernel, const std::string& architecture, const std::function<bool()>& stop) {
  Compiled compiled = *text(kernel, architecture, stop);
  read_resources(compiled, kernel);
  return compiled;
}

std::shared_ptr<const Compiled> Compiler::text(const Kernel& kernel, const std::string& architecture,
                                               const std::function<bool()>& stop) {
  const Recipe wanted = recipe(source(kernel), architecture);
  const std::string key = wanted.key();
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = memory_.find(key); found != memory_.end()) return found->second;
  }

  const auto folder = use_disk_ ? cache_folder() : std::nullopt;
  if (!folder) return remember(key, compile_anew(wanted, kernel.file, stop));
  const DiskCache disk(*folder);
  if (auto found = disk.load(wanted)) return remember(key, *std::move(found));
  Compiled compiled = compile_anew(wanted, kernel.file, stop);
  std::string not_kept = disk.store(wanted, compiled);
  {
    const std::lock_guard lock(mutex_);
    not_kept_ = std::move(not_kept);
  }
  return remember(key, std::move(compiled));
}

std::shared_ptr<const Compiled> Compiler::remember(const std::string& key, Compiled compiled) {
  const std::lock_guard lock(mutex_);
  memory_bytes_ += compiled.cubin.size() + compiled.ptx.size() + compiled.log.size();
  if (memory_bytes_ > kMostMemory) memory_.clear(), memory_bytes_ = 0;
  return memory_[key] = std::make_shared<const Compiled>(std::move(compiled));
}

std::string Compiler::disk_state() const {
  if (!use_disk_) return "off";
  const auto folder = cache_folder();
  if (!folder) return "none: neither CONVLENS_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set";
  {
    const std::lock_guard lock(mutex_);
    if (!not_kept_.empty()) return "not written: " + not_kept_;
  }
  const auto mib = [](std::int64_t bytes) { return std::to_string((bytes + (1 << 19)) >> 20) + " MiB"; };
  return mib(DiskCache(*folder).bytes()) + " of " + mib(DiskCache::kDefaultBound) + " in " + folder->string();
}

Compiler& compiler() {
  static Compiler only;
  return only;
}

}  // namespace convlens::gpu
