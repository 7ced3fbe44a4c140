// SGHMC in C++, over lines of JSON, with arrays in base64: no library but the standard one.
// Numbers and strings are looked up by their names, which no message has twice.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>
#include <vector>

using Array = std::vector<double>;
static const std::string LETTERS =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string encoded(const Array& x) {
  std::string raw(x.size() * sizeof(double), '\0'), out;
  std::memcpy(&raw[0], x.data(), raw.size());
  for (size_t k = 0; k < raw.size(); k += 3) {
    unsigned bits = 0;
    for (size_t j = 0; j < 3; ++j) bits = bits << 8 | (k + j < raw.size() ? (unsigned char)raw[k + j] : 0);
    for (int j = 0; j < 4; ++j) out += k + j <= raw.size() ? LETTERS[bits >> (18 - 6 * j) & 63] : '=';
  }
  return out;
}

Array decoded(const std::string& text) {
  static std::vector<int> value(256, -1);
  if (value['B'] < 0)
    for (int k = 0; k < 64; ++k) value[(unsigned char)LETTERS[k]] = k;
  std::string raw;
  unsigned bits = 0;
  int held = 0;
  for (unsigned char c : text) {
    if (value[c] < 0) continue;
    bits = bits << 6 | value[c];
    if ((held += 6) >= 8) raw += char(bits >> (held -= 8) & 255);
  }
  Array x(raw.size() / sizeof(double));
  std::memcpy(x.data(), raw.data(), x.size() * sizeof(double));
  return x;
}

std::string text_of(const std::string& line, const std::string& name) {
  const size_t at = line.find("\"" + name + "\": \"") + name.size() + 5;
  return line.substr(at, line.find('"', at) - at);
}

double number_of(const std::string& line, const std::string& name) {
  return std::strtod(line.c_str() + line.find("\"" + name + "\": ") + name.size() + 4, nullptr);
}

int main() {
  std::ios::sync_with_stdio(false);
  std::cout << R"({"sgtheory": 1, "arrays": "base64"})" << std::endl;
  std::mt19937_64 source;
  std::normal_distribution<double> normal;
  Array theta, v;
  double eta = 0, alpha = 0, beta = 0, tau = 0, N = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (text_of(line, "do") == "start") {
      source.seed((unsigned long long)number_of(line, "seed"));
      normal.reset();
      eta = number_of(line, "eta"), alpha = number_of(line, "alpha"), beta = number_of(line, "beta");
      tau = number_of(line, "tau"), N = number_of(line, "N");
      theta = decoded(text_of(line, "theta")), v = decoded(text_of(line, "v"));
    } else {
      std::cout << R"({"gradient": ")" << encoded(theta) << "\"}" << std::endl;
      std::getline(std::cin, line);
      const Array g = decoded(text_of(line, "gradient"));
      const double scale = std::sqrt(2 * (alpha - beta) * eta * tau);
      for (size_t k = 0; k < theta.size(); ++k) {
        theta[k] += v[k];
        v[k] = (1 - alpha) * v[k] - eta * N * g[k] + scale * normal(source);
      }
    }
    std::cout << R"({"theta": ")" << encoded(theta) << "\"}" << std::endl;
  }
}
