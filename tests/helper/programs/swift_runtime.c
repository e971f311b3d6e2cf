/* Has one of the names of Swift's runtime, which every process on a Mac has loaded. */
__attribute__((visibility("default"))) void swift_release(void *object);

void swift_release(void *object) {
    (void)object;
}
