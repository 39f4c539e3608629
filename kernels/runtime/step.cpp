#include "kernels/runtime/step.h"

#include <map>

#include "algorithms/error.h"

namespace convlens::gpu {

std::byte* address(const Argument& argument, const Call& call) {
  const auto from = [&](const void* data) {
    return data == nullptr ? nullptr : static_cast<std::byte*>(const_cast<void*>(data)) + argument.offset;
  };
  switch (argument.kind) {
    case Argument::Kind::x:
      return from(call.arguments.x.data);
    case Argument::Kind::w:
      return from(call.arguments.w.data);
    case Argument::Kind::bias:
      return from(call.arguments.bias.data);
    case Argument::Kind::y:
      return from(call.arguments.y.data);
    case Argument::Kind::buffer:
      return from(call.workspace.get<std::byte>(argument.buffer));
    case Argument::Kind::number:
      break;
  }
  return nullptr;
}

WorkArea work_area(const std::string& buffer, std::int64_t bytes, const Call& call) {
  if (bytes == 0) return {};
  std::byte* const data = call.workspace.get<std::byte>(buffer);
  const auto place = reinterpret_cast<std::uintptr_t>(data);
  const auto skipped = static_cast<std::int64_t>(-place % kWorkAreaAlignment);
  return {data + skipped, std::max<std::int64_t>(0, bytes - skipped)};
}

namespace {

std::map<std::string, Vendor>& vendors() {
  static std::map<std::string, Vendor> registered;
  return registered;
}

const Vendor& vendor(const std::string& library) {
  const auto found = vendors().find(library);
  if (found == vendors().end()) throw Unsupported(library + ": the GPU module was built without it");
  return found->second;
}

}  // namespace

bool register_vendor(const std::string& library, Vendor vendor) {
  return vendors().emplace(library, std::move(vendor)).second;
}

std::unique_ptr<PreparedStep> prepare(const Program& program, const VendorCall& call) {
  return vendor(call.library).prepare(program, call);
}

VendorAnswer ask(const Request& request, const VendorCall& call) {
  try {
    return vendor(call.library).ask(request, call);
  } catch (const Unsupported& refused) {
    VendorAnswer answer;
    answer.engine = call.engine;
    answer.refusal = refused.what();
    return answer;
  }
}

std::vector<std::pair<std::string, std::string>> vendor_versions() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [library, vendor] : vendors()) all.push_back(vendor.version());
  return all;
}

}  // namespace convlens::gpu
