/* Starts ffmpeg, feeds it and asks what became of it. What it complains of goes to a file without a name, so that it can
 * never wait for us to read it. */
#define _POSIX_C_SOURCE 200809L
#include "film.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct film {
	char *path;
	pid_t process;
	int pipe;
	FILE *complaints;
	size_t size; /* of a picture, bytes */
};

static bool fail(cairn_error *error, cairn_code code, const char *what, const char *why)
{
	*error = (cairn_error){.code = code};
	snprintf(error->message, sizeof error->message, "%s%s%.300s", what, *why ? ": " : "", why);
	return false;
}

static void free_film(film *f)
{
	if (f->complaints)
		fclose(f->complaints);
	free(f->path);
	free(f);
}

/* 0, or what the system says against it. Its own process group: Ctrl-C is for us, who then end it in order. */
static int spawn(film *f, char *const *arguments, int from)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int code = posix_spawn_file_actions_init(&files);
	if (code)
		return code;
	code = posix_spawnattr_init(&attributes);
	if (code == 0) {
		posix_spawn_file_actions_adddup2(&files, from, STDIN_FILENO);
		posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
		posix_spawn_file_actions_adddup2(&files, fileno(f->complaints), STDERR_FILENO);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
		posix_spawnattr_setpgroup(&attributes, 0);
		code = posix_spawnp(&f->process, arguments[0], &files, &attributes, arguments, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return code;
}

static int start(film *f, const char *path, uint32_t width, uint32_t height, double fps)
{
	int ends[2];
	char size[32], rate[32];
	char *file = text_format("file:%s", path); /* a name that looks like an option or an address is none */
	const char *arguments[] = {
		"ffmpeg",   "-hide_banner", "-nostdin",   "-loglevel", "error",    "-y",   "-f", "rawvideo",
		"-pix_fmt", "rgb24",        "-s",         size,        "-r",       rate,   "-i", "pipe:0",
		"-an",      "-c:v",         "libx264",    "-preset",   "veryfast", "-crf", "20", "-pix_fmt",
		"yuv420p",  "-movflags",    "+faststart", "-f",        "mp4",      file,   NULL};
	snprintf(size, sizeof size, "%ux%u", width, height);
	snprintf(rate, sizeof rate, "%.9g", fps);
	int code = pipe(ends) == 0 ? 0 : errno;
	if (code == 0) {
		fcntl(ends[0], F_SETFD, FD_CLOEXEC);
		fcntl(ends[1], F_SETFD, FD_CLOEXEC);
		code = spawn(f, (char *const *)arguments, ends[0]);
		close(ends[0]);
		f->pipe = ends[1];
		if (code)
			close(ends[1]);
	}
	free(file);
	return code;
}

film *film_open(const char *path, uint32_t width, uint32_t height, double fps, cairn_error *error)
{
	film *f = memory_resize(NULL, sizeof *f);
	*f = (film){.path = text_format("%s", path), .size = 3 * (size_t)width * height, .complaints = tmpfile()};
	signal(SIGPIPE, SIG_IGN);
	int code = f->complaints ? 0 : errno;
	if (code == 0)
		fcntl(fileno(f->complaints), F_SETFD, FD_CLOEXEC);
	if (code == 0)
		code = start(f, path, width, height, fps);
	if (code == 0)
		return f;
	if (code == ENOENT)
		fail(error, CAIRN_MISSING, "a film needs ffmpeg, which is not on the PATH here",
		     "on Debian the package ffmpeg brings it; pictures need none: -o frame-%04d.png");
	else
		fail(error, CAIRN_FAILED, "ffmpeg cannot be started", strerror(code));
	free_film(f);
	return NULL;
}

bool film_put(film *f, const uint8_t *rgb, cairn_error *error)
{
	for (size_t done = 0; done < f->size;) {
		ssize_t wrote = write(f->pipe, rgb + done, f->size - done);
		if (wrote < 0 && errno != EINTR)
			return fail(error, CAIRN_FILE, "ffmpeg stopped taking pictures", strerror(errno));
		done += wrote > 0 ? (size_t)wrote : 0;
	}
	return true;
}

/* The last line that ffmpeg wrote, without an address in front of it. */
static void read_complaint(film *f, char text[256])
{
	char line[256];
	text[0] = 0;
	rewind(f->complaints);
	while (fgets(line, sizeof line, f->complaints)) {
		line[strcspn(line, "\r\n")] = 0;
		const char *close = line[0] == '[' ? strstr(line, "] ") : NULL;
		if (line[0])
			snprintf(text, 256, "%s", close ? close + 2 : line);
	}
}

static int end(film *f)
{
	int outcome = 0;
	close(f->pipe);
	while (waitpid(f->process, &outcome, 0) < 0 && errno == EINTR)
		;
	return outcome;
}

/* An MP4 file is a row of boxes, each with its size in front: they must fill the file, with the index among them. */
static bool is_whole(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t head[16];
	bool fits = file != NULL, indexed = false;
	for (size_t got; fits && (got = fread(head, 1, 8, file)) > 0;) {
		uint64_t size = (uint64_t)head[0] << 24 | (uint64_t)head[1] << 16 | (uint64_t)head[2] << 8 | head[3], used = 8;
		indexed |= memcmp(head + 4, "moov", 4) == 0;
		if (size == 1 && fread(head + 8, 1, 8, file) == 8) {
			used = 16;
			for (int i = 8; i < 16; ++i)
				size = size << 8 | head[i];
			size &= INT64_MAX; /* the 1 was shifted out */
		}
		fits = got == 8 && size >= used;
		/* The last byte must be there: seeking beyond the end is no error. */
		if (fits && size > used)
			fits = fseeko(file, (off_t)(size - used - 1), SEEK_CUR) == 0 && fgetc(file) != EOF;
	}
	if (file)
		fclose(file);
	return fits && indexed;
}

/* ffmpeg's exit status says nothing of a disk that was full at the end. */
bool film_close(film *f, cairn_error *error)
{
	char complaint[256];
	int outcome = end(f);
	bool done = WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
	read_complaint(f, complaint);
	if (done && !is_whole(f->path)) {
		done = false;
		if (!complaint[0])
			snprintf(complaint, sizeof complaint, "the file is not whole; is the disk full?");
	}
	if (!done && WIFSIGNALED(outcome))
		snprintf(complaint, sizeof complaint, "it was ended by signal %d", WTERMSIG(outcome));
	bool lacks = strstr(complaint, "Unknown encoder") != NULL;
	if (!done)
		fail(error, lacks ? CAIRN_MISSING : CAIRN_FILE, "ffmpeg could not make the film", complaint);
	free_film(f);
	return done;
}

void film_abandon(film *f)
{
	kill(f->process, SIGKILL);
	end(f);
	free_film(f);
}
