// HALO_SENDRECV: the messages of 26 neighbours, sent and received.
#include "halo_sendrecv.abi.h"

enum { NEIGHBOURS = 26 };

KP_ARGUMENTS {
  const double *send[NEIGHBOURS];
  double *recv[NEIGHBOURS];
  int32_t ranks[NEIGHBOURS];
  int32_t tags[NEIGHBOURS];
  int64_t n[NEIGHBOURS];
  const kp_exchange *exchange;
};

KP_REPETITION(args, run) { run.exchange(args.exchange); }
