// What a worker is asked, and what it answers: plain data, and each as one line of JSON.
//
// A worker is `convlens worker`, here or on another machine, spoken to through its stdin and stdout. Its first line is
// the Hello. To a Job it answers Started, Samples as they are made, and Done, or Refused at any point; to a Ping, at
// once, even while it measures, the Pong with the same number; to AskCeilings the Ceilings. A traced Job has no
// Samples. What it cannot read it answers with NotUnderstood, and goes on. When its stdin ends, it finishes what it was
// asked and ends. After a Cancel one line of Samples may follow, that was being made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/error.h"
#include "algorithms/interface/request.h"

namespace convlens::worker {

inline constexpr int kProtocol = 2;  // another number is another language: nothing is asked then

// One measurement that is wanted.
struct Job {
  std::int64_t id = 0;
  std::string layer;  // its name, or ""
  ConvSpec spec{};
  std::string run;  // "im2win.cpu:simd=off"
  DType dtype = DType::f32;
  Layouts layouts{};
  bool kernel_alone = false, cold_cache = false;
  std::uint64_t seed = 1;
  int repeats = 10;      // at least so many samples
  double seconds = 0;    // and at least so long
  bool endless = false;  // until it is cancelled
  bool traced = false;   // not timed, but run once with its main kernel traced (kernels/trace.h): that is the record

  bool operator==(const Job&) const = default;
};
struct Cancel {
  std::int64_t id = 0;  // of a Job; one that is not there is none to cancel
};
struct Ping {
  std::int64_t id = 0;
};
struct AskCeilings {
  bool gpu = false;
};
using Question = std::variant<Job, Cancel, Ping, AskCeilings>;

struct Hello {
  int protocol = kProtocol;
  std::string revision, host, cpu, gpu;  // gpu: "" where there is none
};
inline constexpr double kLeastMs = 1e-9, kMostMs = 1e9;  // a picosecond, and eleven days
struct Started {
  std::int64_t id = 0;
  std::string run, unit;                         // the run by its full name; "cpu", "cc" or "tc"
  std::int64_t flops = 0, executed_flops = 0;    // direct-equivalent, and what is really computed
  std::int64_t tensor_bytes = 0, workspace = 0;  // x, w, bias and y; and what the run needs besides
};
struct Samples {
  std::int64_t id = 0;
  std::vector<double> ms;  // each from kLeastMs to kMostMs
};
struct Done {
  std::int64_t id = 0;
  bool cancelled = false;
  std::string record;  // a result record (algorithms/measure/record.h), or a trace; "" without any sample
};
struct Refused {
  std::int64_t id = 0;
  std::string why;
  Exit exit = Exit::unsupported;  // the kind of failure
};
struct Pong {
  std::int64_t id = 0;
};
struct Ceilings {
  bool gpu = false;
  double f32_tflops = 0, f16_tflops = 0, tbytes = 0;  // f16: 0 where it is not measured; tbytes: read + write a second
};
struct NotUnderstood {
  std::string why;
};
using Answer = std::variant<Hello, Started, Samples, Done, Refused, Pong, Ceilings, NotUnderstood>;

// The number of the Job that an answer is about; nothing for one that is about none.
std::optional<std::int64_t> job_of(const Answer& answer);

// One line of JSON, without the newline.
std::string to_line(const Question& question);
std::string to_line(const Answer& answer);

// A hello that is broken: whoever said it is no worker.
struct WrongHello : BadInput {
  using BadInput::BadInput;
};

// Throws BadInput that says what is wrong with the line.
Question parse_question(const std::string& line);
Answer parse_answer(const std::string& line);

}  // namespace convlens::worker
