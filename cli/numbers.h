// Numbers as text and back, the same in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace convlens::cli {

std::string fixed(double value, int digits);        // "3.14"; "n/a" for NaN and Inf
std::string significant(double value, int digits);  // "3.1e-05" or "0.31"; "n/a" for NaN and Inf
std::string grouped(std::int64_t value);            // "9 031 680 000"
std::string bytes_text(std::int64_t bytes);         // "9 031 680 000 B = 8.41 GiB"
std::string bytes_short(std::int64_t bytes);        // "8.41 GiB"
std::string flops_text(std::int64_t flops);         // "451.1 MFLOP"

// Each throws BadInput that names `parameter`, the text and the rule.
std::int64_t parse_integer(const std::string& parameter, std::string_view text, std::int64_t least, std::int64_t most);
double parse_number(const std::string& parameter, std::string_view text, double least, double most);
std::int64_t parse_size(const std::string& parameter, std::string_view text);  // "8GiB", "500 MB", "1024"

}  // namespace convlens::cli
