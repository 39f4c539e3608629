// The side that measures (algorithms/worker/protocol.h): reads questions from stdin, answers on stdout.
//
// One thread reads, so that pings are answered and cancelling works while another measures.
#pragma once

#include "cli/command.h"

namespace convlens::cli {

// Returns when stdin has ended and all that was asked is done; an endless job is cancelled then. Throws Finished when
// nobody reads the answers any more.
void serve(const Globals& globals);

}  // namespace convlens::cli
