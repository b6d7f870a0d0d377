/* The lists of words behind operands and values: the table's own, the library's and the bundle's. */
#include "bundle.h"
#include "message.h"
#include "options.h"

#include <string.h>

static const char *const progress_words[] = {"auto", "bar", "plain", "json", "none"};
static const char *const quality_words[] = {"auto", "fast", "fine"};
static const char *const shell_words[] = {"bash", "zsh", "fish"};

#define WORD(list, index) ((index) < sizeof(list) / sizeof(list)[0] ? (list)[index] : NULL)

const char *word_at(word_list list, size_t index)
{
	switch (list) {
	case WORDS_SCENE:
	case WORDS_SOURCE:
	case WORDS_BUNDLED: return bundle_scene_at(index);
	case WORDS_METHOD: {
		const cairn_method_info *method = cairn_method_at((uint32_t)index);
		return method ? method->name : NULL;
	}
	case WORDS_SETTING: {
		const char *const *names = cairn_option_names();
		for (size_t i = 0; i < index; ++i)
			if (!names[i])
				return NULL;
		return names[index];
	}
	case WORDS_PROGRESS: return WORD(progress_words, index);
	case WORDS_QUALITY: return WORD(quality_words, index);
	case WORDS_COMMAND: return command_at(index) ? command_at(index)->name : NULL;
	case WORDS_SHELL: return WORD(shell_words, index);
	case WORDS_NONE:
	case WORDS_FILE:
	case WORDS_EXPORT:
	case WORDS_RECORDING: break;
	}
	return NULL;
}

int word_find(word_list list, const char *word)
{
	for (size_t i = 0; word_at(list, i); ++i)
		if (strcmp(word_at(list, i), word) == 0)
			return (int)i;
	return -1;
}

const char *word_nearest(word_list list, const char *word)
{
	enum { MOST = 300 };
	const char *words[MOST];
	size_t count = 0;
	while (count < MOST && (words[count] = word_at(list, count)))
		++count;
	return nearest_word(word, words, count);
}
