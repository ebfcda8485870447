// HALO_EXCHANGE: packs the messages of 26 neighbours, exchanges and unpacks them; a launch for each message and variable.
#include "halo_exchange.abi.h"

enum { NEIGHBOURS = 26, VARIABLES = 3 };

KP_ARGUMENTS {
  double *variables[VARIABLES];
  const int32_t *sent[NEIGHBOURS];
  const int32_t *received[NEIGHBOURS];
  double *send[NEIGHBOURS];
  double *recv[NEIGHBOURS];
  int32_t ranks[NEIGHBOURS];
  int32_t tags[NEIGHBOURS];
  int64_t n[NEIGHBOURS];
  int64_t m;
  const kp_exchange *exchange;
};

KP_KERNEL pack(KP_MUT(double) message, KP_REF(int32_t) cells, KP_REF(double) variable, int64_t n) {
  KP_FOR(k, 0, n) message[k] = variable[cells[k]];
}

KP_KERNEL unpack(KP_MUT(double) variable, KP_REF(int32_t) cells, KP_REF(double) message, int64_t n) {
  KP_FOR(k, 0, n) variable[cells[k]] = message[k];
}

KP_REPETITION(args, run) {
  for (int l = 0; l < NEIGHBOURS; ++l)
    for (int v = 0; v < VARIABLES; ++v)
      run.launch(pack, kp_grid(args.n[l]), args.send[l] + v * args.n[l], args.sent[l], args.variables[v], args.n[l]);
  run.exchange(args.exchange);
  for (int l = 0; l < NEIGHBOURS; ++l)
    for (int v = 0; v < VARIABLES; ++v)
      run.launch(unpack, kp_grid(args.n[l]), args.variables[v], args.received[l], args.recv[l] + v * args.n[l],
                 args.n[l]);
}
