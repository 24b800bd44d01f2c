#include "exec/hooks.h"

const struct sim_hooks *sim_hooks;
