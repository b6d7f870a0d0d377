/* Under libFuzzer every input has so many seconds of processor time; what takes longer is kept as crash-* like everything else
 * that breaks. libFuzzer's own -timeout counts seconds of the clock on the wall, which a busy machine takes from it. */
#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { SECONDS_MOST = 10 };

/* The linker calls it for every call of LLVMFuzzerTestOneInput, and that by this name (--wrap). */
int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void too_slow(int signal)
{
	(void)signal;
	static const char text[] = "fuzz: this input takes too much processor time\n";
	(void)!write(2, text, sizeof text - 1);
	abort();
}

static void allow(int seconds)
{
	struct itimerval t = {.it_value.tv_sec = seconds};
	EXPECT(signal(SIGPROF, too_slow) != SIG_ERR && setitimer(ITIMER_PROF, &t, NULL) == 0);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	allow(SECONDS_MOST);
	int result = __real_LLVMFuzzerTestOneInput(data, size);
	allow(0);
	return result;
}
