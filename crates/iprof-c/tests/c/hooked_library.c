/* A library of that program, with a static function of the same name. */
void in_library(void);

static int same(int n) { return n + 1; }

void in_library(void)
{
    int at;
    for (at = 0; at < 5; at = same(at)) {}
}
