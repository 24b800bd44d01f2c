/* The control flow of a kernel, learnt from its lanes, and the position of each lane in it.
 *
 * On the device, lanes that diverged reconverge as early as the program allows. To replay this from
 * 32 separate runs, basic blocks need an order in which loops are closed units: the lane at the
 * earliest position goes first, and lanes at the same position go together. The order is the weak
 * topological order of F. Bourdoncle (Efficient chaotic iteration strategies with widenings, 1993):
 * a recursive decomposition into strongly connected components, each with a head.
 *
 * The position of a lane is a list of pairs (component, iteration) from the outermost loop inwards,
 * then the block. Thus a lane in an earlier iteration goes before one in a later iteration, and a
 * lane in a loop goes before one that has left it. A lane that has left a loop waits where the
 * exits of the loop meet again. Up to there, such as in the store before an early return, it goes
 * on at once, separately from lanes that leave later, as on the device. A lane that has returned
 * delays no other. */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_MAX_DEPTH 16 /* of nested loops; deeper ones are ordered as if at this depth */

struct flow; /* the graph of one kernel */

/* The position of a lane. All zero: before the first block. */
struct flow_position {
    int node;            /* 0: before the first block */
    unsigned version;    /* the version of the order that the other members belong to */
    unsigned exit_group; /* not 0: the lane left a loop by an exit of its own; lanes with the same
                            number go together */
    int left_loop;       /* the head of that loop */
    int depth;
    int head[FLOW_MAX_DEPTH];           /* of each enclosing loop, outermost first */
    uint32_t iteration[FLOW_MAX_DEPTH]; /* of that loop */
};

/* A new graph, or NULL when out of memory. */
struct flow *flow_create(void);
void flow_free(struct flow *flow);

/* Records that control went from a node (0: the start of the kernel) to the block at `pc`. Returns
 * the node of that block, created if it is new; 0 when out of memory. */
int flow_enter(struct flow *flow, int from, uint32_t pc);

/* Orders the graph again if it has new edges. Returns a number that changes with the order, or 0
 * when out of memory. */
unsigned flow_order(struct flow *flow);

/* Moves a position along an edge of the graph. */
void flow_step(struct flow *flow, struct flow_position *position, int to);

/* Updates a position to the current order: looks its loops up again by their heads. */
void flow_refresh(const struct flow *flow, struct flow_position *position);

/* Negative, 0 or positive if `a` comes before, at or after `b`. */
int flow_compare(const struct flow *flow, const struct flow_position *a,
                 const struct flow_position *b);

#endif
