// `convlens worker`: measures what it is asked through stdin, for a viewer or `convlens live` that may be far away.
#include "cli/command.h"
#include "cli/worker/server.h"

namespace convlens::cli {

void add_worker(CLI::App& app, const Globals& globals) {
  Command command(app, "worker", "measure what is asked on stdin, as JSON Lines, for a viewer that may be far away",
                  {"convlens worker --threads 1", "convlens worker --no-cache", "convlens worker"});
  command.run([&globals] { serve(globals); });
}

}  // namespace convlens::cli
