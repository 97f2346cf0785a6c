#include "base/self_trace.h"

const SelfTrace *self_trace;
