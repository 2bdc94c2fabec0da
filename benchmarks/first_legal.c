/* A bot that gives the first legal answer, for measuring the runner: as fast as a bot gets.
 *
 * It needs no JSON library, for the layout of a request is part of the protocol: `type`, `id` and `legal` come first,
 * in this order and without spaces, so the answer is found at known places:
 *
 *     {"type":"request_bid","id":8127,"legal":[0,1,2],...      -> {"id":8127,"bid":0}
 *     {"type":"request_play","id":8730,"legal":["4D","AS"],... -> {"id":8730,"card":"4D"}
 *
 * Build: gcc -O2 -Wall -Wextra -o first_legal first_legal.c
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HELLO[] = "{\"type\":\"hello\"";
static const char QUIT[] = "{\"type\":\"quit\"";
static const char BID[] = "{\"type\":\"request_bid\",\"id\":";
static const char PLAY[] = "{\"type\":\"request_play\",\"id\":";
static const char LEGAL[] = ",\"legal\":[";

/* The rest of the line behind a prefix, or NULL if the line begins otherwise. */
static const char *after(const char *line, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(line, prefix, length) == 0 ? line + length : NULL;
}

/* Answers a request whose id begins at `id`; false if the layout is not the documented one. */
static int answer(const char *id, const char *key)
{
    size_t id_length = strspn(id, "0123456789");
    const char *first = after(id + id_length, LEGAL);
    if (id_length == 0 || first == NULL)
        return 0;
    printf("{\"id\":%.*s,\"%s\":%.*s}\n", (int)id_length, id, key, (int)strcspn(first, ",]"), first);
    return 1;
}

int main(void)
{
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, stdin) > 0) {
        const char *id;
        if ((id = after(line, PLAY)) != NULL) {
            if (!answer(id, "card"))
                return EXIT_FAILURE;
        } else if ((id = after(line, BID)) != NULL) {
            if (!answer(id, "bid"))
                return EXIT_FAILURE;
        } else if (after(line, HELLO) != NULL) {
            puts("{\"type\":\"ready\",\"protocol\":1}");
        } else if (after(line, QUIT) != NULL) {
            break;
        } else {
            continue;
        }
        /* To a pipe stdout is buffered whole: one flush makes one write of the line. */
        if (fflush(stdout) != 0)
            return EXIT_FAILURE;
    }
    free(line);
    return EXIT_SUCCESS;
}
