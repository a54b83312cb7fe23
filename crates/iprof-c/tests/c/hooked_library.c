/* A library for hooked.c, with a static function that has the same name as a function in hooked.c. */
void in_library(void);

static int same(int n) { return n + 1; }

void in_library(void)
{
    int at;
    for (at = 0; at < 5; at = same(at)) {}
}
