/* One line on the terminal of stderr, drawn again and again, and gone before anything else is
 * printed. It begins at the cursor, after what the program has printed there, and leaves the cursor
 * where it was. So when the program is killed, whoever started it can erase the line from there. */
#pragma once

#include "base/device.h"

/* Draws the line that describe() writes, unless it returns false or stderr is no terminal. One host
 * thread, which no signal reaches, calls this. sim/abi.h has sim_line_clear(), which erases it. */
void sim_line_draw(bool (*describe)(char *text, size_t size));
