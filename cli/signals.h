// The signals that ask the program to end: SIGINT (Ctrl-C), SIGTERM and SIGHUP. Work ends in order, and what is done is
// kept: long work polls `interrupted()` (command.h).
#pragma once

#include "algorithms/error.h"

namespace convlens::cli {

void handle(int signal, void (*handler)(int), int flags);

// What whoever started the program has it ignore is ignored, as nohup does with SIGHUP.
void handle_unless_ignored(int signal, void (*handler)(int), int flags);

// From now on they are heard. A second Ctrl-C ends the program at once, as does a SIGTERM or SIGHUP that comes again a
// second or more after the first: before that it is the same one, which `timeout`, or a terminal that is closed, sends
// to the program and to its group.
void hear_end_signals();

// What main returns where `exit` is how the work ended: that, or 130 after Ctrl-C. After SIGTERM or SIGHUP it does not
// return: the program ends by that signal, so that whoever sent it sees that it has worked; to a shell 143 or 129.
int ended(Exit exit);

}  // namespace convlens::cli
