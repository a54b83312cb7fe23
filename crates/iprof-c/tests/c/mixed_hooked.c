/* A C function for random programs, which calls back. It is compiled with -finstrument-functions, so it is a zone. */
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
