/* An example of an export format in one file: how many keys each frame has. test/house/rows.sh adds it to a copy of the
 * sources. */
#include "io/export.h"

#include <inttypes.h>

bool cn_tally_write(cn_export *e, cairn_error *error)
{
	cn_export_stage(e, cn_export_frames(e), cn_export_frames(e));
	for (uint32_t i = 0; i < cn_export_frames(e); ++i) {
		cairn_frame frame;
		if (!cn_export_read(e, e->from + i, &frame, error))
			return false;
		cn_out_format(&e->out, "%" PRIu32 " %" PRIu32 "\n", frame.frame, frame.key_count);
	}
	return true;
}
