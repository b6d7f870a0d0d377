/* The loop of a run. */
#include "drive.h"
#include "limit.h"
#include "screen.h"
#include "stop.h"

static drive_end fail(drive *d, drive_end end, const char *what, const cairn_error *error)
{
	char text[700];
	cairn_error_print(error, text, sizeof text);
	snprintf(d->message, sizeof d->message, "%s%s", what, text);
	return end;
}

static void compare(drive *d, uint32_t frame, uint64_t hash)
{
	d->compared_last = frame;
	if (d->differs || cairn_world_hash(d->world) == hash)
		return;
	d->differs = true;
	d->first_difference = frame;
}

/* Before the step to frame: gives the inputs that the source had there and says which state it came to. */
static drive_end replay(drive *d, uint32_t frame, uint64_t *hash)
{
	cairn_error error = {0};
	cairn_frame recorded;
	char what[64];
	snprintf(what, sizeof what, "the recorded inputs of frame %u: ", frame);
	if (!cairn_recording_read(d->source, frame, &recorded, &error))
		return fail(d, DRIVE_FAILED, "", &error);
	*hash = recorded.state_hash;
	if (recorded.input_size > 0 && !cairn_world_replay(d->world, recorded.inputs, recorded.input_size, &error))
		return fail(d, DRIVE_FAILED, what, &error);
	return DRIVE_DONE;
}

static drive_end take_step(drive *d)
{
	cairn_error error = {0};
	uint32_t frame = cairn_world_frame(d->world) + 1;
	bool recorded = d->source && frame <= d->source_last;
	uint64_t hash = 0;
	if (recorded && replay(d, frame, &hash) != DRIVE_DONE)
		return DRIVE_FAILED;
	cairn_step_report report = cairn_world_step(d->world);
	if (report.status != CAIRN_STEP_OK) {
		summary_stop(&d->summary, d->world, &report);
		if (report.status == CAIRN_STEP_MEMORY)
			limits_explain(d->message, sizeof d->message);
		else
			cairn_world_explain(d->world, &report, d->message, sizeof d->message);
		return DRIVE_FAILED;
	}
	double begun = clock_seconds();
	if (!cairn_recording_append(d->output, d->world, &report, &error))
		return fail(d, DRIVE_UNWRITTEN, "", &error);
	summary_add(&d->summary, d->world, &report, 1000 * (clock_seconds() - begun));
	if (recorded && d->compare)
		compare(d, frame, hash);
	progress_frame(d->progress, frame, &report);
	return DRIVE_DONE;
}

drive_end drive_run(drive *d)
{
	cairn_error error = {0};
	cairn_frame start;
	d->differs = false;
	d->message[0] = 0;
	summary_begin(&d->summary, d->world);
	if (d->compare) {
		if (!cairn_recording_read(d->source, cairn_world_frame(d->world), &start, &error))
			return fail(d, DRIVE_FAILED, "", &error);
		d->compared_first = start.frame;
		compare(d, start.frame, start.state_hash);
	}
	while (cairn_world_frame(d->world) < d->total) {
		if (stop_asked() != STATUS_DONE)
			return DRIVE_STOPPED;
		drive_end end = take_step(d);
		if (end != DRIVE_DONE)
			return end;
	}
	return DRIVE_DONE;
}
