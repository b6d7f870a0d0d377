/* Writing an exported file: text, numbers and bytes; reading its frames. */
#include "base/number.h"
#include "io/export.h"
#include "io/json.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void cn_out_bytes(cn_out *out, const void *bytes, size_t size)
{
	if (out->failed || size == 0)
		return;
	errno = 0;
	if (fwrite(bytes, 1, size, out->file) != size) {
		out->failed = true;
		out->reason = errno;
	}
	out->size += size;
}

void cn_out_text(cn_out *out, const char *text) { cn_out_bytes(out, text, strlen(text)); }

void cn_out_format(cn_out *out, const char *format, ...)
{
	char text[256];
	va_list arguments;
	va_start(arguments, format);
	int size = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	assert(size >= 0 && (size_t)size < sizeof text);
	cn_out_bytes(out, text, (size_t)size);
}

void cn_out_number(cn_out *out, double x)
{
	char text[CN_NUMBER_SIZE];
	cn_out_bytes(out, text, (size_t)cn_format_double(text, x + 0.0)); /* -0 as 0 */
}

void cn_out_number17(cn_out *out, double x)
{
	char text[CN_NUMBER_SIZE];
	cn_out_bytes(out, text, (size_t)cn_format_double17(text, x));
}

void cn_out_v3(cn_out *out, v3 v, const char *open, const char *between, const char *close)
{
	cn_out_text(out, open);
	cn_out_number(out, v.x);
	cn_out_text(out, between);
	cn_out_number(out, v.y);
	cn_out_text(out, between);
	cn_out_number(out, v.z);
	cn_out_text(out, close);
}

/* Of the escapes only those for the quote and the backslash are common to JSON and USD, so a control character becomes
 * U+FFFD too. */
void cn_out_quote(cn_out *out, const char *text)
{
	const char *at = text, *end = text + strlen(text);
	cn_out_text(out, "\"");
	while (at < end) {
		size_t length = cn_json_utf8(at, (size_t)(end - at));
		if (length == 0 || (unsigned char)*at < 0x20 || *at == 0x7f)
			cn_out_text(out, "\xef\xbf\xbd");
		else if (*at == '"' || *at == '\\')
			cn_out_format(out, "\\%c", *at);
		else
			cn_out_bytes(out, at, length);
		at += length ? length : 1;
	}
	cn_out_text(out, "\"");
}

void cn_out_u32(cn_out *out, uint32_t x)
{
	uint8_t bytes[4] = {(uint8_t)x, (uint8_t)(x >> 8), (uint8_t)(x >> 16), (uint8_t)(x >> 24)};
	cn_out_bytes(out, bytes, sizeof bytes);
}

void cn_out_floats(cn_out *out, const float *x, size_t count)
{
	for (size_t i = 0; i < count; ++i) {
		uint32_t word;
		float plain = x[i] + 0.0f; /* -0 as 0 */
		memcpy(&word, &plain, sizeof word);
		cn_out_u32(out, word);
	}
}

void cn_export_stage(cn_export *e, uint64_t reads, uint32_t progress)
{
	e->stage_from = e->progress;
	e->stage_to = progress;
	e->stage_reads = reads;
	e->stage_read = 0;
}

bool cn_export_read(cn_export *e, uint32_t frame, cairn_frame *out, cairn_error *error)
{
	if (!cairn_recording_read(e->recording, frame, out, error))
		return false;
	if (e->out.failed)
		return false;
	assert(e->stage_read < e->stage_reads);
	++e->stage_read;
	e->progress = e->stage_from + (uint32_t)((e->stage_to - e->stage_from) * e->stage_read / e->stage_reads);
	if (e->def->progress && !e->def->progress(e->def->context, e->progress, cn_export_frames(e)))
		return cn_fail(error, CAIRN_FAILED, "", "stopped");
	return true;
}
