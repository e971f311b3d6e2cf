/*
 * Leaks that people make in Objective-C, each in a process of its own, on GNUstep and with blocks:
 * the shapes of heap_dumps/mistakes.
 *
 * usage: owners MISTAKE; says "ready" and waits until its input goes on
 *
 * Two of those twenty need what Objective-C has not, and stand for what is nearest: "pool" for
 * finalizers (objects wait for a pool that is never drained), "records" for phantom references
 * (what is noted about objects stays when they have gone). One has nothing like it here: class
 * loaders, since a bundle is loaded once, and its classes stay.
 */
#import <Foundation/Foundation.h>

#include <Block.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MANY = 4000, BYTES = 1000, HOUR = 3600 };

@interface Item : NSObject {
    char data[BYTES];
}
@end
@implementation Item
@end

#define KIND_OF_ITEM(name)                                                                         \
    @interface name : Item                                                                         \
    @end                                                                                           \
    @implementation name                                                                           \
    @end

typedef void (^Handler)(void);

static void add_items(NSMutableArray *list) {
    for (int i = 0; i < MANY; i++) {
        Item *item = [[Item alloc] init];
        [list addObject:item];
        [item release];
    }
}

/* Which of many. */
static NSNumber *number(int i) {
    return [NSNumber numberWithInt:i];
}

/* ---- Listeners that are added and never removed ---- */

KIND_OF_ITEM(Screen)

static NSMutableArray *busListeners;

static void make_listeners(void) {
    busListeners = [[NSMutableArray alloc] init];
    for (int i = 0; i < MANY; i++) {
        Screen *screen = [[Screen alloc] init];
        [busListeners addObject:screen];
        [screen release];
    }
}

/* ---- What a thread of a pool keeps of a request ---- */

@interface Worker : NSObject
@end
@implementation Worker
- (void)serve:(NSConditionLock *)done {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    NSMutableArray *context = [[NSMutableArray alloc] init];
    [[[NSThread currentThread] threadDictionary] setObject:context forKey:@"request"];
    [context release];
    add_items(context);
    [pool release];
    context = nil;
    [done lock];
    [done unlockWithCondition:1];
    for (;;)
        sleep(HOUR);
}
/* What a thread works on that never ends. */
- (void)import:(NSConditionLock *)done {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    NSMutableArray *volatile batch = [[NSMutableArray alloc] init];
    add_items(batch);
    [pool release];
    [done lock];
    [done unlockWithCondition:1];
    for (;;)
        sleep(HOUR);
    [batch release];
}
@end

static void start(SEL work, NSString *name) {
    NSConditionLock *done = [[NSConditionLock alloc] initWithCondition:0];
    Worker *worker = [[Worker alloc] init];
    NSThread *thread = [[NSThread alloc] initWithTarget:worker selector:work object:done];
    [thread setName:name];
    [thread start];
    [done lockWhenCondition:1];
    [done unlock];
}

static void make_thread_local(void) {
    start(@selector(serve:), @"worker");
}

static void make_thread(void) {
    start(@selector(import:), @"importer");
}

/* ---- A static dictionary of sessions ---- */

KIND_OF_ITEM(Session)

static NSMutableDictionary *registrySessions;

static void make_static_map(void) {
    registrySessions = [[NSMutableDictionary alloc] init];
    for (int i = 0; i < MANY; i++) {
        Session *session = [[Session alloc] init];
        [registrySessions setObject:session forKey:number(i)];
        [session release];
    }
}

/* ---- A cache without a bound, in an object that lives long ---- */

@interface Cache : NSObject {
  @public
    NSMutableDictionary *_entries;
}
@end
@implementation Cache
@end

static Cache *cache;

static void make_cache(void) {
    cache = [[Cache alloc] init];
    cache->_entries = [[NSMutableDictionary alloc] init];
    for (int i = 0; i < MANY; i++) {
        Item *item = [[Item alloc] init];
        [cache->_entries setObject:item forKey:number(i)];
        [item release];
    }
}

/* ---- Blocks that capture those around them ---- */

@interface Editor : Item
- (Handler)saving;
@end
@implementation Editor
/* Those of libBlocksRuntime retain nothing of what they capture. */
- (Handler)saving {
    Editor *me = [self retain];
    return Block_copy(^{
        [me hash];
    });
}
@end

@interface Agenda : NSObject {
  @public
    Handler *_tasks;
}
@end
@implementation Agenda
@end

static Agenda *agenda;

static void make_captures(void) {
    agenda = [[Agenda alloc] init];
    agenda->_tasks = calloc(MANY, sizeof(Handler));
    for (int i = 0; i < MANY; i++) {
        Editor *editor = [[Editor alloc] init];
        agenda->_tasks[i] = [editor saving];
        [editor release];
    }
}

/* ---- What is to be done much later, and its screens ---- */

static void make_delayed(void) {
    for (int i = 0; i < MANY; i++) {
        Screen *screen = [[Screen alloc] init];
        [screen performSelector:@selector(hash) withObject:nil afterDelay:HOUR + i];
        [screen release];
    }
}

/* ---- Cursors that nobody closes ---- */

KIND_OF_ITEM(Cursor)

@interface Database : NSObject {
  @public
    NSMutableSet *_open;
}
@end
@implementation Database
@end

static Database *database;

static void make_cursors(void) {
    database = [[Database alloc] init];
    database->_open = [[NSMutableSet alloc] init];
    for (int i = 0; i < MANY; i++) {
        Cursor *cursor = [[Cursor alloc] init];
        [database->_open addObject:cursor];
        [cursor release];
    }
}

/* ---- Objects that wait for a pool, which is never drained ---- */

KIND_OF_ITEM(Handle)

static void make_pool(void) {
    for (int i = 0; i < MANY; i++)
        [[[Handle alloc] init] autorelease];
}

/* ---- Strings of which a program keeps each once ---- */

static NSMutableDictionary *namesPool;

static void make_interned(void) {
    namesPool = [[NSMutableDictionary alloc] init];
    NSString *long_one = [@"" stringByPaddingToLength:BYTES withString:@"." startingAtIndex:0];
    for (int i = 0; i < MANY; i++) {
        NSString *name = [[NSString alloc] initWithFormat:@"%d%@", i, long_one];
        [namesPool setObject:name forKey:number(i)];
        [name release];
    }
}

/* ---- Work that comes faster than it is done ---- */

/* More than what a table of GNUstep has for each operation that a queue observes. */
@interface Job : NSOperation {
    char data[4 * BYTES];
}
@end
@implementation Job
- (void)main {
}
@end

@interface Server : NSObject {
  @public
    NSOperationQueue *_jobs;
}
@end
@implementation Server
@end

static Server *server;

static void make_queue(void) {
    server = [[Server alloc] init];
    server->_jobs = [[NSOperationQueue alloc] init];
    [server->_jobs setSuspended:YES];
    for (int i = 0; i < MANY; i++) {
        Job *job = [[Job alloc] init];
        [server->_jobs addOperation:job];
        [job release];
    }
}

/* ---- Timers that are not invalidated ---- */

@interface Reminder : Item
- (void)remind:(NSTimer *)timer;
@end
@implementation Reminder
- (void)remind:(NSTimer *)timer {
    (void)timer;
}
@end

static void make_timers(void) {
    for (int i = 0; i < MANY; i++) {
        Reminder *reminder = [[Reminder alloc] init];
        [NSTimer scheduledTimerWithTimeInterval:HOUR + i
                                         target:reminder
                                       selector:@selector(remind:)
                                       userInfo:nil
                                        repeats:YES];
        [reminder release];
    }
}

/* ---- Statements that their connection lists until it is closed ---- */

KIND_OF_ITEM(Statement)

@interface Connection : NSObject {
  @public
    NSMutableArray *_statements;
}
@end
@implementation Connection
@end

static Connection *sharedConnection;

static void make_statements(void) {
    sharedConnection = [[Connection alloc] init];
    sharedConnection->_statements = [[NSMutableArray alloc] init];
    for (int i = 0; i < MANY; i++) {
        Statement *statement = [[Statement alloc] init];
        [sharedConnection->_statements addObject:statement];
        [statement release];
    }
}

/* ---- A map that does not keep its keys, but whose values do ---- */

@interface Described : Item {
  @public
    id _key;
}
@end
@implementation Described
@end

static NSMapTable *descriptions;

static void make_weak_map(void) {
    NSPointerFunctionsOptions not_kept =
        NSPointerFunctionsOpaqueMemory | NSPointerFunctionsObjectPointerPersonality;
    descriptions = [[NSMapTable alloc] initWithKeyOptions:not_kept
                                             valueOptions:NSPointerFunctionsStrongMemory
                                                 capacity:MANY];
    for (int i = 0; i < MANY; i++) {
        Described *described = [[Described alloc] init];
        described->_key = [[NSObject alloc] init];
        [descriptions setObject:described forKey:described->_key];
        [described release];
    }
}

/* ---- One text that only grows ---- */

static NSMutableString *logBuffer;

static void make_growing_text(void) {
    logBuffer = [[NSMutableString alloc] init];
    NSString *line = [@"" stringByPaddingToLength:BYTES withString:@"." startingAtIndex:0];
    for (int i = 0; i < MANY; i++)
        [logBuffer appendString:line];
}

/* ---- A set of objects that are never equal ---- */

KIND_OF_ITEM(Word)

static NSMutableSet *indexSeen;

static void make_never_equal(void) {
    indexSeen = [[NSMutableSet alloc] init];
    for (int i = 0; i < MANY; i++) {
        Word *word = [[Word alloc] init];
        [indexSeen addObject:word];
        [word release];
    }
}

/* ---- Observers of a model that lives longer than they do ---- */

KIND_OF_ITEM(View)

@interface Model : NSObject {
  @public
    NSMutableArray *_observers;
}
@end
@implementation Model
- (void)addObserver:(id)observer {
    NSMethodSignature *signature = [observer methodSignatureForSelector:@selector(hash)];
    NSInvocation *change = [NSInvocation invocationWithMethodSignature:signature];
    [change setSelector:@selector(hash)];
    [change setTarget:observer];
    [change retainArguments];
    [_observers addObject:change];
}
@end

static Model *model;

static void make_observers(void) {
    model = [[Model alloc] init];
    model->_observers = [[NSMutableArray alloc] init];
    for (int i = 0; i < MANY; i++) {
        View *view = [[View alloc] init];
        [model addObserver:view];
        [view release];
    }
}

/* ---- The first of a list, which keeps the whole list ---- */

@interface Page : NSObject {
  @public
    NSEnumerator *_rest;
}
@end
@implementation Page
@end

static Page *page;

static void make_part_of_list(void) {
    NSMutableArray *all = [[NSMutableArray alloc] init];
    page = [[Page alloc] init];
    add_items(all);
    page->_rest = [[all objectEnumerator] retain];
    [page->_rest nextObject];
    [all release];
}

/* ---- Records of objects that are gone ---- */

@interface Freed : NSObject {
  @public
    const void *_of;
    char _record[BYTES];
}
@end
@implementation Freed
@end

static NSMutableArray *allFreed;

static void make_records(void) {
    allFreed = [[NSMutableArray alloc] init];
    for (int i = 0; i < MANY; i++) {
        NSObject *object = [[NSObject alloc] init];
        Freed *freed = [[Freed alloc] init];
        freed->_of = object;
        [allFreed addObject:freed];
        [freed release];
        [object release];
    }
}

/* ---- All of them ---- */

static const struct mistake {
    const char *name;
    void (*make)(void);
} mistakes[] = {{"cache", make_cache},
                {"captures", make_captures},
                {"cursors", make_cursors},
                {"delayed", make_delayed},
                {"growing-text", make_growing_text},
                {"interned-texts", make_interned},
                {"listeners", make_listeners},
                {"never-equal", make_never_equal},
                {"observers", make_observers},
                {"part-of-list", make_part_of_list},
                {"pool", make_pool},
                {"queue", make_queue},
                {"records", make_records},
                {"statements", make_statements},
                {"static-map", make_static_map},
                {"thread", make_thread},
                {"thread-local", make_thread_local},
                {"timers", make_timers},
                {"weak-map", make_weak_map}};

static int make(const char *name) {
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
        if (strcmp(mistakes[i].name, name) == 0) {
            mistakes[i].make();
            return 0;
        }
    }
    return 1;
}

int main(int argc, const char *const *argv) {
    [[NSAutoreleasePool alloc] init];
    if (argc != 2 || make(argv[1]))
        return 2;
    puts("ready");
    fflush(stdout);
    getchar();
    return 0;
}
