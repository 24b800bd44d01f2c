/* All of it is in nvtx3/nvToolsExt.h, where CUDA 13 has it. */
#include "nvtx3/nvToolsExt.h"
