#include "cli/program.hpp"

int main(int argc, char** argv) {
  return virnucpro::run_program(argc, argv);
}
