#include "cli/program.hpp"
#include "program/commands.hpp"

int main(int argc, char** argv) {
  return virnucpro::run_program(argc, argv, virnucpro::all_commands());
}
