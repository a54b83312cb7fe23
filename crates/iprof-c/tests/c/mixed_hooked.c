/* A function of C in random programs, which is a zone since it is compiled with -finstrument-functions; it calls back. */
#define UNTRACED __attribute__((no_instrument_function))

UNTRACED void mixed_hooked(int way, void (*body)(void *), void *context);

static void hooked(void (*body)(void *), void *context)
{
    body(context);
}

void mixed_hooked(int way, void (*body)(void *), void *context)
{
    (void)way;
    hooked(body, context);
}
