// A block's reduction, one atomic a block, and delivery by the block that finishes last.
#pragma once

template <class T> static __device__ void kp_atomic(kp_add, T *target, T value) { atomicAdd(target, value); }
template <class T> static __device__ void kp_atomic(kp_minimum, T *target, T value) { KP_ATOMIC_MIN(target, value); }
template <class T> static __device__ void kp_atomic(kp_maximum, T *target, T value) { KP_ATOMIC_MAX(target, value); }

// Combination over the first `width` lanes of a warp, valid in lane 0; the other lanes hold the identity.
template <class Operation, class T> static __device__ T kp_warp_combine(Operation, T value, int width) {
  for (int distance = width / 2; distance > 0; distance /= 2)
    value = Operation::apply(value, static_cast<T>(KP_SHUFFLE_DOWN(value, distance)));
  return value;
}
template <class Operation, class T>
static __device__ kp_located<T> kp_warp_combine(Operation, kp_located<T> mine, int width) {
  for (int distance = width / 2; distance > 0; distance /= 2)
    mine = Operation::apply(mine, kp_located<T>{static_cast<T>(KP_SHUFFLE_DOWN(mine.value, distance)),
                                                KP_SHUFFLE_DOWN(mine.location, distance)});
  return mine;
}
#if !defined(KP_HIP) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800  // one instruction where the value is a 32-bit integer
static __device__ int32_t kp_warp_combine(kp_add, int32_t value, int) { return __reduce_add_sync(0xffffffffu, value); }
static __device__ int32_t kp_warp_combine(kp_minimum, int32_t value, int) { return __reduce_min_sync(0xffffffffu, value); }
static __device__ int32_t kp_warp_combine(kp_maximum, int32_t value, int) { return __reduce_max_sync(0xffffffffu, value); }
#endif

template <int TERM, class T> static __device__ T *kp_warp_values() {
  __shared__ T values[KP_BLOCK / 32];  // AMD's warps have 32 lanes or 64
  return values;
}

// The sum over the block's threads, valid in thread 0.
template <class T> static __device__ T kp_block_sum(T value) {
  value = kp_warp_combine(kp_add(), value, KP_WARP);
  if (threadIdx.x % KP_WARP == 0) kp_warp_values<0, T>()[threadIdx.x / KP_WARP] = value;
  __syncthreads();
  if (threadIdx.x >= KP_WARP) return T(0);
  const int warps = KP_BLOCK / KP_WARP, lane = threadIdx.x;
  return kp_warp_combine(kp_add(), lane < warps ? kp_warp_values<0, T>()[lane] : T(0), warps);
}

template <int TERM, class Operation, class T, bool FILLED>
static __device__ void kp_combine_warp(kp_term<Operation, T, FILLED> term) {
  const T combined = kp_warp_combine(Operation(), term.value, KP_WARP);
  if (threadIdx.x % KP_WARP == 0) kp_warp_values<TERM, T>()[threadIdx.x / KP_WARP] = combined;
}

// Where the blocks of one launch meet: the result itself, or, if that is filled first, a value of the library's own, which
// spares the launch that would fill it. The block that finishes last leaves the identity for the next launch.
template <int TERM, class Operation, class T> static __device__ T kp_meeting = Operation::template identity<T>();

template <int TERM, class Operation, class T, bool FILLED>
static __device__ void kp_combine_block(kp_term<Operation, T, FILLED> term) {
  const int warps = KP_BLOCK / KP_WARP, lane = threadIdx.x;
  const T value = lane < warps ? kp_warp_values<TERM, T>()[lane] : Operation::template identity<T>();
  const T combined = kp_warp_combine(Operation(), value, warps);
  if (lane != 0) return;
  if constexpr (FILLED) kp_atomic(Operation(), &kp_meeting<TERM, Operation, T>, combined);
  else kp_atomic(Operation(), term.target, combined);
}

static __device__ unsigned kp_blocks_finished;  // wraps to zero with the last block

static __device__ bool kp_last_block() {
  KP_FENCE_DEVICE();  // this block's contributions before its arrival
  if (KP_ATOMIC_INC(&kp_blocks_finished, gridDim.x - 1) != gridDim.x - 1) return false;
  KP_FENCE_DEVICE();  // the others' arrivals before a look at their contributions
  return true;
}

static __device__ uint64_t kp_slot(int32_t value) { return static_cast<uint64_t>(static_cast<int64_t>(value)); }
static __device__ uint64_t kp_slot(int64_t value) { return static_cast<uint64_t>(value); }
static __device__ uint64_t kp_slot(double value) { return static_cast<uint64_t>(__double_as_longlong(value)); }

// The finished result, stored in its buffer.
template <int TERM, class Operation, class T, bool FILLED>
static __device__ T kp_settle(kp_term<Operation, T, FILLED> term) {
  if constexpr (FILLED) {
    volatile T *const meeting = &kp_meeting<TERM, Operation, T>;
    const T met = *meeting;
    *meeting = Operation::template identity<T>();
    return *term.target = Operation::apply(term.fill, met);
  } else {
    return *static_cast<volatile T *>(term.target);
  }
}

static __device__ void kp_deliver(kp_ticket ticket, int slot, uint64_t value) {
  if (ticket.results) *static_cast<volatile uint64_t *>(&ticket.results->value[slot]) = value;
}

static __device__ void kp_publish(kp_ticket ticket) {
  KP_FENCE_SYSTEM();  // the values before the number that announces them
  *static_cast<volatile uint64_t *>(&ticket.results->arrived) = ticket.number;
}

template <int... TERM, class... Term>
static __device__ void kp_combine_terms(std::integer_sequence<int, TERM...>, kp_ticket ticket, Term... terms) {
  (kp_combine_warp<TERM>(terms), ...);
  __syncthreads();
  if (threadIdx.x >= KP_WARP) return;
  (kp_combine_block<TERM>(terms), ...);
  if (threadIdx.x != 0 || !kp_last_block()) return;
  (kp_deliver(ticket, TERM, kp_slot(kp_settle<TERM>(terms))), ...);
  if (ticket.results) kp_publish(ticket);
}

// Brings an updated scalar back, once every block has done its updates.
template <class T> static __device__ void kp_return(kp_ticket ticket, T *target) {
  __syncthreads();
  if (threadIdx.x != 0 || !kp_last_block() || !ticket.results) return;
  kp_deliver(ticket, 0, kp_slot(*static_cast<volatile T *>(target)));
  kp_publish(ticket);
}

// Ends a reduction: its buffers take the contributions, and the host gets the results in the order of the terms. Every
// thread of the block calls it once.
template <class... Term> static __device__ void kp_combine(kp_ticket ticket, Term... terms) {
  kp_combine_terms(std::make_integer_sequence<int, sizeof...(Term)>(), ticket, terms...);
}

// A value and its location are two words, which no atomic changes at once: blocks leave theirs side by side, and the block
// that finishes last combines them.
constexpr unsigned kp_most_blocks = 1u << 20;
template <class T> static __device__ kp_located<T> kp_block_bests[kp_most_blocks];

// The best of the block's threads, valid in thread 0.
template <class T> static __device__ kp_located<T> kp_block_best(kp_located<T> mine) {
  kp_located<T> *const warps = kp_warp_values<0, kp_located<T>>();
  mine = kp_warp_combine(kp_first_minimum(), mine, KP_WARP);
  if (threadIdx.x % KP_WARP == 0) warps[threadIdx.x / KP_WARP] = mine;
  __syncthreads();
  if (threadIdx.x >= KP_WARP) return mine;
  const int count = KP_BLOCK / KP_WARP, lane = threadIdx.x;
  mine = lane < count ? warps[lane] : kp_first_minimum::template identity<kp_located<T>>();
  return kp_warp_combine(kp_first_minimum(), mine, count);
}

template <class T> static __device__ void kp_combine(kp_ticket ticket, kp_term<kp_first_minimum, kp_located<T>, true> term) {
  __shared__ bool last;
  if (gridDim.x > kp_most_blocks) KP_TRAP();
  kp_located<T> best = kp_block_best(term.value);
  if (threadIdx.x == 0) {
    kp_block_bests<T>[blockIdx.x] = best;
    last = kp_last_block();
  }
  __syncthreads();
  if (!last) return;
  best = kp_first_minimum::template identity<kp_located<T>>();
  for (unsigned block = threadIdx.x; block < gridDim.x; block += KP_BLOCK) {
    const volatile kp_located<T> &other = kp_block_bests<T>[block];  // of other multiprocessors: not from this one's cache
    best = kp_first_minimum::apply(best, kp_located<T>{other.value, other.location});
  }
  best = kp_block_best(best);
  if (threadIdx.x != 0) return;
  best = kp_first_minimum::apply(term.fill, best);
  *term.target = best;
  kp_deliver(ticket, 0, kp_slot(best.value));
  kp_deliver(ticket, 1, kp_slot(best.location));
  if (ticket.results) kp_publish(ticket);
}
