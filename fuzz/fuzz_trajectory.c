/* Trajectories: any text is read or refused with its line, and what is read can be certified. */
#include "cairn/cairn.h"
#include "fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cairn_error error = {0};
	char *text = malloc(size ? size : 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	cairn_trajectory *t = cairn_trajectory_read_text(text, size, "x.traj", NULL, &error);
	free(text);
	EXPECT(t || (error.code == CAIRN_FILE && error.message[0] && error.line >= 0));
	if (!t)
		return 0;
	cairn_trajectory_info info = cairn_trajectory_get_info(t);
	cairn_certify_def def = cairn_default_certify_def();
	cairn_certify_result result;
	def.threads = 1, def.from = info.first_frame;
	if (info.last_frame - info.first_frame > 3) /* a few are enough */
		def.to = info.first_frame + 3;
	EXPECT(cairn_trajectory_certify(t, &def, &result, &error) || error.message[0]);
	for (uint32_t i = 0; i < info.bodies; ++i)
		EXPECT(cairn_trajectory_body_name(t, i));
	cairn_trajectory_free(t);
	return 0;
}
