// HALO_PACKING_FUSED: packs 26 neighbours' messages of three variables in one launch, and unpacks others in another. The
// tables of pointers are passed by value.
#include "halo_packing_fused.abi.h"
#include "messages.h"

KP_ARGUMENTS {
  double *variables[VARIABLES];
  const int32_t *sent[NEIGHBOURS];
  const int32_t *received[NEIGHBOURS];
  double *send[NEIGHBOURS];
  const double *recv[NEIGHBOURS];
  int64_t longest;
  int64_t n[NEIGHBOURS];
  int64_t m;
};

KP_REPETITION(args, run) {
  tables out = {}, in = {};
  cube c = {};
  std::memcpy(c.variable, args.variables, sizeof c.variable);
  std::memcpy(out.to, args.send, sizeof out.to);
  std::memcpy(out.cells, args.sent, sizeof out.cells);
  std::memcpy(in.from, args.recv, sizeof in.from);
  std::memcpy(in.cells, args.received, sizeof in.cells);
  std::memcpy(out.n, args.n, sizeof out.n);
  std::memcpy(in.n, args.n, sizeof in.n);
  run.launch(pack_all, messages(args.longest), out, c);
  run.launch(unpack_all, messages(args.longest), in, c);
}
