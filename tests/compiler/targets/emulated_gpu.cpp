// A GPU of one host thread for generated code: blocks run one after the other, from the last to the first, a block's
// threads as fibers. A barrier waits for every thread that has not ended, a shuffle for exactly the lanes of its mask;
// what can never be satisfied ends the launch with an error. Lanes outside of a mask deliver garbage.
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {
enum State { READY, AT_BARRIER, AT_EXCHANGE, ENDED };
enum Exchange { SHUFFLE, ADD, MIN, MAX, UMIN, UMAX, AND, OR, FROM_LANE };
constexpr uint32_t WARP = 32, GARBAGE = 0xDEADBEEF;
constexpr int LAUNCH_FAILED = 719, INVALID_VALUE = 1;

struct Fiber {
  ucontext_t context;
  std::vector<char> stack;
  uint32_t index[3];
  State state;
  Exchange exchange;
  uint32_t mask, value, distance, lane, result;
};

std::vector<Fiber> fibers;
ucontext_t scheduler;
size_t running;
uint32_t grid[3], block[3], block_index[3];
void (*kernel)(void **);
void **arguments;
long launches = 0;

void enter() {
  kernel(arguments);
  fibers[running].state = ENDED;
  swapcontext(&fibers[running].context, &scheduler);
}

void suspend(State state) {
  fibers[running].state = state;
  swapcontext(&fibers[running].context, &scheduler);
}

uint32_t combined(Exchange exchange, uint32_t a, uint32_t b) {
  const int32_t x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  switch (exchange) {
    case ADD: return a + b;
    case MIN: return x < y ? a : b;
    case MAX: return x > y ? a : b;
    case UMIN: return a < b ? a : b;
    case UMAX: return a > b ? a : b;
    case AND: return a & b;
    case OR: return a | b;
    default: return 0;
  }
}

// Completes the exchange of one warp if all lanes of its mask wait at it.
bool complete(size_t first) {
  const size_t lanes = std::min<size_t>(WARP, fibers.size() - first);
  for (size_t lane = 0; lane < lanes; ++lane) {
    const Fiber &leader = fibers[first + lane];
    if (leader.state != AT_EXCHANGE) continue;
    bool whole = leader.mask >> lane & 1;
    for (size_t other = 0; other < WARP; ++other) {
      if (!(leader.mask >> other & 1)) continue;
      if (other >= lanes) { whole = false; continue; }
      const Fiber &f = fibers[first + other];
      whole = whole && f.state == AT_EXCHANGE && f.mask == leader.mask && f.exchange == leader.exchange && f.distance == leader.distance;
    }
    if (!whole) continue;
    const uint32_t mask = leader.mask;
    const Exchange exchange = leader.exchange;
    uint32_t total = 0;
    bool any = false;
    for (size_t other = 0; other < lanes; ++other)
      if (mask >> other & 1) {
        total = any ? combined(exchange, total, fibers[first + other].value) : fibers[first + other].value;
        any = true;
      }
    for (size_t other = 0; other < lanes; ++other) {
      if (!(mask >> other & 1)) continue;
      Fiber &f = fibers[first + other];
      const size_t from = other + f.distance;
      if (exchange == FROM_LANE) f.result = mask >> f.lane % WARP & 1 ? fibers[first + f.lane % WARP].value : GARBAGE;
      else if (exchange != SHUFFLE) f.result = total;
      else if (from >= WARP) f.result = f.value;
      else f.result = from < lanes && mask >> from & 1 ? fibers[first + from].value : GARBAGE;
    }
    for (size_t other = 0; other < lanes; ++other)
      if (mask >> other & 1) fibers[first + other].state = READY;
    return true;
  }
  return false;
}

bool release_barrier() {
  bool waits = false;
  for (const Fiber &f : fibers) {
    if (f.state == AT_EXCHANGE) return false;
    waits = waits || f.state == AT_BARRIER;
  }
  for (Fiber &f : fibers)
    if (f.state == AT_BARRIER) f.state = READY;
  return waits;
}

bool run_block() {
  fibers.resize(block[0] * block[1] * block[2]);
  for (size_t i = 0; i < fibers.size(); ++i) {
    Fiber &f = fibers[i];
    f.state = READY;
    f.index[0] = i % block[0], f.index[1] = i / block[0] % block[1], f.index[2] = i / (block[0] * block[1]);
    f.stack.resize(64 * 1024);
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack.data();
    f.context.uc_stack.ss_size = f.stack.size();
    f.context.uc_link = &scheduler;
    makecontext(&f.context, enter, 0);
  }
  for (;;) {
    bool progress = false, alive = false;
    for (running = fibers.size(); running-- > 0;) {
      if (fibers[running].state == READY) {
        swapcontext(&scheduler, &fibers[running].context);
        progress = true;
      }
      alive = alive || fibers[running].state != ENDED;
    }
    if (!alive) return true;
    for (size_t first = 0; first < fibers.size(); first += WARP) progress = complete(first) || progress;
    if (!progress && !release_barrier()) return false;
  }
}
}  // namespace

extern "C" {
uint32_t tid_x() { return fibers[running].index[0]; }
uint32_t tid_y() { return fibers[running].index[1]; }
uint32_t tid_z() { return fibers[running].index[2]; }
uint32_t ctaid_x() { return block_index[0]; }
uint32_t ctaid_y() { return block_index[1]; }
uint32_t ctaid_z() { return block_index[2]; }
uint32_t ntid_x() { return block[0]; }
uint32_t ntid_y() { return block[1]; }
uint32_t ntid_z() { return block[2]; }
uint32_t nctaid_x() { return grid[0]; }
uint32_t nctaid_y() { return grid[1]; }
uint32_t nctaid_z() { return grid[2]; }
uint32_t wait_for_previous(uint32_t value) { return value; }
void fence_system() {}
void barrier(uint32_t) { suspend(AT_BARRIER); }

static uint32_t exchange(Exchange kind, uint32_t mask, uint32_t value, uint32_t distance) {
  const size_t mine = running;
  fibers[mine].exchange = kind, fibers[mine].mask = mask, fibers[mine].value = value, fibers[mine].distance = distance;
  suspend(AT_EXCHANGE);
  return fibers[mine].result;
}
uint32_t shuffle_down(uint32_t mask, uint32_t value, uint32_t distance, uint32_t) { return exchange(SHUFFLE, mask, value, distance); }
uint32_t shuffle_idx(uint32_t mask, uint32_t value, uint32_t lane, uint32_t) {
  fibers[running].lane = lane;
  return exchange(FROM_LANE, mask, value, 0);
}
uint32_t ballot(uint32_t mask, uint32_t flag) { return exchange(OR, mask, (flag & 1) << running % WARP, 0); }
uint32_t redux_add(uint32_t value, uint32_t mask) { return exchange(ADD, mask, value, 0); }
uint32_t redux_min(uint32_t value, uint32_t mask) { return exchange(MIN, mask, value, 0); }
uint32_t redux_max(uint32_t value, uint32_t mask) { return exchange(MAX, mask, value, 0); }
uint32_t redux_umin(uint32_t value, uint32_t mask) { return exchange(UMIN, mask, value, 0); }
uint32_t redux_umax(uint32_t value, uint32_t mask) { return exchange(UMAX, mask, value, 0); }
uint32_t redux_and(uint32_t value, uint32_t mask) { return exchange(AND, mask, value, 0); }
uint32_t redux_or(uint32_t value, uint32_t mask) { return exchange(OR, mask, value, 0); }

// The driver's entry points, as the launcher calls them; `config` begins with the grid and the block.
int cuLaunchKernelEx(const uint32_t *config, void *function, void **parameters, void **) {
  std::memcpy(grid, config, sizeof grid);
  std::memcpy(block, config + 3, sizeof block);
  const bool empty = !grid[0] || !grid[1] || !grid[2];
  if (empty || grid[1] > 65535 || grid[2] > 65535 || block[0] * block[1] * block[2] > 1024) return INVALID_VALUE;
  ++launches;
  kernel = reinterpret_cast<void (*)(void **)>(function);
  arguments = parameters;
  for (uint32_t z = grid[2]; z-- > 0;)
    for (uint32_t y = grid[1]; y-- > 0;)
      for (uint32_t x = grid[0]; x-- > 0;) {
        block_index[0] = x, block_index[1] = y, block_index[2] = z;
        if (!run_block()) return LAUNCH_FAILED;
      }
  return 0;
}
int cuStreamQuery(void *) { return 0; }
int cuStreamSynchronize(void *) { return 0; }
int cuMemcpyAsync(void *to, const void *from, size_t bytes, void *) {
  std::memmove(to, from, bytes);
  return 0;
}
long launch_count() { return launches; }
}
