/* The control flow of a kernel as its lanes showed it, and where each lane stands in it.
 *
 * On the device the lanes of a warp that went different ways meet again as early as the program
 * allows. To replay that from 32 separate runs, basic blocks need an order in which loops are
 * closed units: the lane that stands earliest goes first, lanes at the same position go together.
 * The order is F. Bourdoncle's weak topological order (Efficient chaotic iteration strategies with
 * widenings, 1993): a recursive decomposition into strongly connected components, each with a head.
 *
 * A lane's position is a list of pairs (component, iteration) from the outermost loop inwards, then
 * the block. Thus a lane in an earlier iteration goes before one in a later iteration, and a lane
 * in a loop goes before one that has left it. Who has left it waits where the ways out meet again;
 * up to there, such as in the store before an early return, it goes on at once and apart from those
 * who leave later, as on the device. Who has returned holds up nobody.
 */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_MAX_DEPTH 16 /* of nested loops; deeper ones are ordered as if at this depth */

struct flow; /* the graph of one kernel */

/* Where a lane stands. All zero: before the first block. */
struct flow_position {
    int node;         /* 0: before the first block */
    unsigned version; /* of the order that the rest was found in */
    unsigned
        exit_group; /* not 0: out of a loop by a way of its own; lanes of one number together */
    int left_loop;  /* then: the head of that loop */
    int depth;
    int head[FLOW_MAX_DEPTH];           /* of each enclosing loop, outermost first */
    uint32_t iteration[FLOW_MAX_DEPTH]; /* of that loop */
};

/* A new graph, or NULL when out of memory. */
struct flow *flow_create(void);
void flow_free(struct flow *flow);

/* Notes that control went from a node (0: the kernel's start) to the block that starts at `pc`.
 * Returns that block's node, which is made when it is new; 0 when out of memory. */
int flow_enter(struct flow *flow, int from, uint32_t pc);

/* Orders the graph again if edges have come since. Returns a number that changes with the order,
 * or 0 when out of memory. */
unsigned flow_order(struct flow *flow);

/* Moves a position along an edge that the graph has. */
void flow_step(struct flow *flow, struct flow_position *position, int to);

/* Brings a position up to the present order: its loops are looked up anew by their heads. */
void flow_refresh(const struct flow *flow, struct flow_position *position);

/* Negative, 0 or positive as `a` stands before, at or after `b`. */
int flow_compare(const struct flow *flow, const struct flow_position *a,
                 const struct flow_position *b);

#endif
