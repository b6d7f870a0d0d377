/* Sparse matrices by columns: see sparse_qp.h. */
#include "num/sparse_qp.h"

#include <string.h>

bool cn_sparse_build(const cairn_allocator *allocator, uint32_t rows, uint32_t columns, const cn_entry *entries,
                     uint32_t entry_count, cn_sparse *out)
{
	cn_sparse m = {.rows = rows, .columns = columns};
	m.first = cn_alloc(allocator, (size_t)columns + 1, sizeof *m.first);
	m.row = cn_alloc(allocator, entry_count ? entry_count : 1, sizeof *m.row);
	m.value = cn_alloc(allocator, entry_count ? entry_count : 1, sizeof *m.value);
	m.capacity = entry_count ? entry_count : 1;
	if (!m.first || !m.row || !m.value) {
		cn_sparse_free(allocator, &m);
		return false;
	}
	for (uint32_t e = 0; e < entry_count; ++e)
		++m.first[entries[e].column + 1];
	for (uint32_t c = 0; c < columns; ++c)
		m.first[c + 1] += m.first[c];
	/* Into its column by insertion, rows ascending; columns are short. */
	uint32_t used = 0;
	for (uint32_t c = columns; c-- > 0;)
		m.first[c + 1] = m.first[c];
	m.first[0] = 0;
	for (uint32_t e = 0; e < entry_count; ++e) {
		uint32_t c = entries[e].column, at = m.first[c + 1]++;
		m.row[at] = entries[e].row;
		m.value[at] = entries[e].value;
	}
	uint32_t begin = 0;
	for (uint32_t c = 0; c < columns; ++c) {
		uint32_t end = m.first[c + 1], start = used;
		for (uint32_t p = begin; p < end; ++p) {
			uint32_t row = m.row[p], at = used;
			double value = m.value[p];
			while (at > start && m.row[at - 1] > row)
				--at;
			if (at > start && m.row[at - 1] == row) {
				m.value[at - 1] += value;
				continue;
			}
			memmove(&m.row[at + 1], &m.row[at], (used - at) * sizeof *m.row);
			memmove(&m.value[at + 1], &m.value[at], (used - at) * sizeof *m.value);
			m.row[at] = row;
			m.value[at] = value;
			++used;
		}
		m.first[c + 1] = used;
		begin = end;
	}
	*out = m;
	return true;
}

void cn_sparse_free(const cairn_allocator *allocator, cn_sparse *m)
{
	cn_free(allocator, m->first, (size_t)m->columns + 1, sizeof *m->first);
	cn_free(allocator, m->row, m->capacity, sizeof *m->row);
	cn_free(allocator, m->value, m->capacity, sizeof *m->value);
	*m = (cn_sparse){0};
}
