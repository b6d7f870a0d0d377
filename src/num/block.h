/* Sparse Cholesky factorisation of a symmetric positive definite matrix of 6x6 blocks, one row of blocks for each node
 * of a graph. The matrix must be I + something positive semidefinite: no pivot can then be below 1, and one that
 * rounding takes there is put back. */
#ifndef CN_BLOCK_H
#define CN_BLOCK_H

#include "base/arena.h"
#include "num/order.h"

enum { CN_BLOCK_SIZE = 36 }; /* doubles of a block, column by column */

/* Columns that share their rows are kept together (a panel): rows x width blocks, row by row. A panel's first rows are
 * its own columns. Columns are numbered by the order of elimination. */
typedef struct cn_panel {
	uint32_t column, width; /* first column, how many */
	uint32_t rows, row;     /* how many, where their numbers start in cn_block.row */
	size_t at;              /* first block, in blocks */
} cn_panel;

typedef struct cn_block {
	uint32_t nodes, panels;
	uint32_t *place;    /* [nodes] the column of a node */
	uint32_t *owner;    /* [nodes] the panel of a column */
	cn_panel *panel;    /* [panels] */
	uint32_t *row;      /* columns that a panel's rows stand for, ascending */
	uint32_t *position; /* scratch of the factorisation */
	double *value;      /* blocks; 16-byte aligned */
	double *twice;      /* scratch: blocks with every number twice */
	size_t blocks;
	double work; /* multiplications of a factorisation */
} cn_block;

/* Orders, finds the fill, makes room; everything is the arena's. False when memory ran out. */
bool cn_block_analyse(cn_arena *arena, const cn_graph *graph, cn_block *block);

/* The number of the block (row, column), columns by order of elimination, row >= column. It must be one of the graph's.
 * */
size_t cn_block_find(const cn_block *block, uint32_t row, uint32_t column);

static inline double *cn_block_at(const cn_block *block, size_t number)
{
	return block->value + number * CN_BLOCK_SIZE;
}

void cn_block_clear(cn_block *block); /* all zero; then the lower triangle is added to the blocks */
void cn_block_factor(cn_block *block);
void cn_block_solve(const cn_block *block, double *x); /* x [6 nodes], in the order of elimination */

#endif
