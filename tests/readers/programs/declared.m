/* Classes whose ivars stand in lines that say so: "// CLASS.IVAR". Needs no header. */
#ifdef __clang__
__attribute__((objc_root_class))
#endif
@interface Root {
    Class isa; /* of which nobody asks */
}
@end
@implementation Root
@end

#ifdef __clang__ /* gcc has one space of names for both */
struct Screen { /* of C: no class, whatever it is called */
    void *next;
};
struct Screen *screen_of_c;
#endif

@interface Base : Root {
    id first; // Base.first
}
@end
@implementation Base
@end

@interface Screen : Base {
    id delegate; // Screen.delegate
    struct { int a; id other; } both; // Screen.both
#ifdef __clang__
    __weak id watcher; // Screen.watcher
#endif
}
#ifdef __clang__
@property(strong) id item; // Screen._item
#endif
@end
#ifdef __clang__
@interface Screen () {
    id hidden; // Screen.hidden
}
@end
@implementation Screen {
    id own; // Screen.own
}
#else
@implementation Screen
#endif
@end

Screen *made(void) {
    return 0;
}
