// HALO_EXCHANGE_FUSED: packs the messages of 26 neighbours in one launch, exchanges them, and unpacks them in another. The
// tables of pointers are passed by value.
#include "halo_exchange_fused.abi.h"
#include "messages.h"

KP_ARGUMENTS {
  double *variables[VARIABLES];
  const int32_t *sent[NEIGHBOURS];
  const int32_t *received[NEIGHBOURS];
  double *send[NEIGHBOURS];
  double *recv[NEIGHBOURS];
  int64_t longest;
  int32_t ranks[NEIGHBOURS];
  int32_t tags[NEIGHBOURS];
  int64_t n[NEIGHBOURS];
  int64_t m;
  const kp_exchange *exchange;
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
  run.exchange(args.exchange);
  run.launch(unpack_all, messages(args.longest), in, c);
}
