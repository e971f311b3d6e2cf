/*
 * A newsroom on GNUstep, as people write it: models, screens and controllers of manual retain and
 * release, with the mistakes that such a program has. Only `loupe fix` changes this source.
 *
 * usage: PROGRAM         makes all mistakes, uses what it made, lets it go, goes on; then a line for
 *                        each class of which some are left, "CLASS COUNT", and "done"
 *        PROGRAM WAIT    the same, and waits after that until its input ends
 *
 * What it does with what was freed is for NSZombieEnabled to see.
 */
#import <Foundation/Foundation.h>

#include <stdio.h>
#include <string.h>

enum { STEPS = 10, MOST_CLASSES = 64 };

static struct {
    Class of;
    int alive;
} classes[MOST_CLASSES];

static void count(Class of, int more) {
    int i = 0;
    while (classes[i].of && classes[i].of != of)
        i++;
    classes[i].of = of;
    classes[i].alive += more;
}

@interface Counted : NSObject
- (void)step;
- (void)close;
@end
@implementation Counted
- (id)init {
    self = [super init];
    count([self class], 1);
    return self;
}
- (void)step {
}
- (void)close {
}
- (void)dealloc {
    count([self class], -1);
    [super dealloc];
}
@end

/* ---- A child keeps its parent ---- */

@class Issue;
@interface Article : Counted {
    Issue *issue;
    NSMutableString *title;
}
- (id)initInIssue:(Issue *)anIssue;
@end
@interface Issue : Counted {
    NSMutableArray *articles;
}
@end
@implementation Article
- (id)initInIssue:(Issue *)anIssue {
    self = [super init];
    issue = [anIssue retain];
    title = [[NSMutableString alloc] initWithString:@"untitled"];
    return self;
}
- (void)step {
    [issue hash];
}
- (void)dealloc {
    [issue release];
    [title release];
    [super dealloc];
}
@end
@implementation Issue
- (id)init {
    self = [super init];
    articles = [[NSMutableArray alloc] init];
    for (int i = 0; i < 4; i++) {
        Article *article = [[Article alloc] initInIssue:self];
        [articles addObject:article];
        [article release];
    }
    return self;
}
- (void)step {
    [articles makeObjectsPerformSelector:@selector(step)];
}
- (void)dealloc {
    [articles release];
    [super dealloc];
}
@end

/* ---- A delegate is kept, of a view that the window shows, too ---- */

@interface PageView : Counted {
    id delegate;
}
- (void)setDelegate:(id)aDelegate;
@end
@implementation PageView
- (void)setDelegate:(id)aDelegate {
    delegate = [aDelegate retain];
}
- (void)step {
    [delegate hash];
}
- (void)dealloc {
    [delegate release];
    [super dealloc];
}
@end
@interface PageController : Counted {
  @public
    PageView *view;
}
@end
@implementation PageController
- (id)init {
    self = [super init];
    view = [[PageView alloc] init];
    [view setDelegate:self];
    return self;
}
- (void)step {
    [view step];
}
- (void)dealloc {
    [view release];
    [super dealloc];
}
@end
@interface PageWindow : Counted {
    PageController *controller;
    PageView *content;
}
@end
@implementation PageWindow
- (id)init {
    self = [super init];
    controller = [[PageController alloc] init];
    content = [controller->view retain];
    return self;
}
- (void)step {
    [controller step];
    [content step];
}
- (void)dealloc {
    [controller release];
    [content release];
    [super dealloc];
}
@end

/* ---- A repeating timer ---- */

@interface Ticker : Counted {
    NSTimer *timer;
}
@end
@implementation Ticker
- (id)init {
    self = [super init];
    timer = [[NSTimer scheduledTimerWithTimeInterval:3600
                                              target:self
                                            selector:@selector(tick:)
                                            userInfo:nil
                                             repeats:YES] retain];
    return self;
}
- (void)tick:(NSTimer *)aTimer {
    (void)aTimer;
}
- (void)close {
}
- (void)dealloc {
    [timer invalidate];
    [timer release];
    [super dealloc];
}
@end

/* ---- Observers in a collection of what they own ---- */

@interface Wire : Counted {
    NSMutableArray *observers;
}
- (void)addObserver:(id)observer;
- (void)removeObserver:(id)observer;
@end
@implementation Wire
- (id)init {
    self = [super init];
    observers = [[NSMutableArray alloc] init];
    return self;
}
- (void)addObserver:(id)observer {
    [observers addObject:observer];
}
- (void)removeObserver:(id)observer {
    [observers removeObject:observer];
}
- (void)dealloc {
    [observers release];
    [super dealloc];
}
@end
@interface WireDesk : Counted {
    Wire *wire;
}
@end
@implementation WireDesk
- (id)init {
    self = [super init];
    wire = [[Wire alloc] init];
    [wire addObserver:self];
    return self;
}
- (void)close {
}
- (void)dealloc {
    [wire release];
    [super dealloc];
}
@end

/* ---- A dictionary's values keep its owner ---- */

@interface Section : Counted {
    NSMutableDictionary *parts;
    Section *outer;
}
- (void)setPart:(Section *)part forName:(NSString *)name;
@end
@implementation Section
- (id)init {
    self = [super init];
    parts = [[NSMutableDictionary alloc] init];
    return self;
}
- (void)setPart:(Section *)part forName:(NSString *)name {
    part->outer = [self retain];
    [parts setObject:part forKey:name];
}
- (void)step {
    [[parts allValues] makeObjectsPerformSelector:@selector(step)];
    [outer hash];
}
- (void)dealloc {
    [outer release];
    [parts release];
    [super dealloc];
}
@end
static id make_sections(void) {
    Section *news = [[Section alloc] init], *sports = [[Section alloc] init];
    [news setPart:sports forName:@"sports"];
    [sports release];
    return news;
}

/* ---- What a Foundation's objects retain for themselves ---- */

@interface Indexer : Counted {
    NSThread *thread;
}
@end
@implementation Indexer
- (id)init {
    self = [super init];
    thread = [[NSThread alloc] initWithTarget:self selector:@selector(step) object:nil];
    return self;
}
- (void)close {
}
- (void)dealloc {
    [thread release];
    [super dealloc];
}
@end

/* Two actions: a loop each. */
@interface Sketch : Counted {
    NSUndoManager *undo;
}
@end
@implementation Sketch
- (id)init {
    self = [super init];
    undo = [[NSUndoManager alloc] init];
    [undo setGroupsByEvent:NO];
    for (int i = 0; i < 2; i++) {
        [undo beginUndoGrouping];
        [undo registerUndoWithTarget:self selector:@selector(restore:) object:self];
        [undo endUndoGrouping];
    }
    return self;
}
- (void)restore:(id)state {
    (void)state;
}
- (void)close {
}
- (void)dealloc {
    [undo release];
    [super dealloc];
}
@end

@interface Command : Counted {
    NSInvocation *action;
}
@end
@implementation Command
- (id)init {
    self = [super init];
    NSMethodSignature *signature = [self methodSignatureForSelector:@selector(step)];
    action = [[NSInvocation invocationWithMethodSignature:signature] retain];
    [action setSelector:@selector(step)];
    [action setTarget:self];
    [action retainArguments];
    return self;
}
- (void)close {
}
- (void)dealloc {
    [action release];
    [super dealloc];
}
@end

/* ---- Releases that are missing ---- */

@interface Draft : Counted
@end
@implementation Draft
@end
@interface Editor : Counted
@end
@implementation Editor
- (id)init {
    self = [super init];
    Draft *draft = [[Draft alloc] init];
    [draft step];
    return self;
}
@end

@interface Photo : Counted
@end
@implementation Photo
@end
@interface Roll : Counted {
    NSMutableArray *photos;
}
@end
@implementation Roll
- (id)init {
    self = [super init];
    photos = [[NSMutableArray alloc] init];
    for (int i = 0; i < 3; i++) {
        Photo *photo = [[Photo alloc] init];
        [photos addObject:photo];
    }
    return self;
}
- (void)step {
    [photos makeObjectsPerformSelector:@selector(step)];
}
- (void)dealloc {
    [photos release];
    [super dealloc];
}
@end

/* An ivar that -dealloc forgets. */
@interface Font : Counted
@end
@implementation Font
@end
@interface Caption : Counted {
    NSMutableString *text;
    Font *font;
}
@end
@implementation Caption
- (id)init {
    self = [super init];
    text = [[NSMutableString alloc] initWithString:@"a caption"];
    font = [[Font alloc] init];
    return self;
}
- (void)step {
    [font step];
}
- (void)dealloc {
    [text release];
    [super dealloc];
}
@end

/* ---- What looks like a mistake and is none ---- */

/* Its messages do not retain it, and their -dealloc never touches the ivar. */
@class Folder;
@interface Message : Counted {
  @public
    Folder *folder;
}
@end
@implementation Message
- (void)step {
    [(id)folder hash];
}
- (void)dealloc {
    [super dealloc];
}
@end
@interface Folder : Counted {
    NSMutableArray *messages;
}
@end
@implementation Folder
- (id)init {
    self = [super init];
    messages = [[NSMutableArray alloc] init];
    for (int i = 0; i < 15; i++) {
        Message *message = [[Message alloc] init];
        message->folder = self;
        [messages addObject:message];
        [message release];
    }
    return self;
}
- (void)step {
    [messages makeObjectsPerformSelector:@selector(step)];
}
- (void)dealloc {
    [messages release];
    [super dealloc];
}
@end

/* The run loop keeps who wants to be called later, until then. */
@interface Saver : Counted
@end
@implementation Saver
- (id)init {
    self = [super init];
    [self performSelector:@selector(save:) withObject:nil afterDelay:3600];
    return self;
}
- (void)save:(id)context {
    (void)context;
}
- (void)close {
    [NSObject cancelPreviousPerformRequestsWithTarget:self];
}
@end

/* Objects of an odd number of words: what malloc rounds up by is not theirs. */
@interface Thumbnail : Counted {
    void *bits;
}
@end
@implementation Thumbnail
@end

/* ---- The program ---- */

static id make_issue(void) {
    return [[Issue alloc] init];
}
static id make_window(void) {
    return [[PageWindow alloc] init];
}
static id make_ticker(void) {
    return [[Ticker alloc] init];
}
static id make_wire(void) {
    return [[WireDesk alloc] init];
}
static id make_indexer(void) {
    return [[Indexer alloc] init];
}
static id make_sketch(void) {
    return [[Sketch alloc] init];
}
static id make_command(void) {
    return [[Command alloc] init];
}
static id make_editor(void) {
    return [[Editor alloc] init];
}
static id make_roll(void) {
    return [[Roll alloc] init];
}
static id make_caption(void) {
    return [[Caption alloc] init];
}
static id make_folder(void) {
    return [[Folder alloc] init];
}
static id make_saver(void) {
    return [[Saver alloc] init];
}

static id (*const makers[])(void) = {make_issue,   make_window,  make_ticker,  make_wire,
                                     make_sections, make_indexer, make_sketch,  make_command,
                                     make_editor,  make_roll,    make_caption, make_folder,
                                     make_saver};

static NSMutableArray *in_use, *thumbnails;

static void __attribute__((noinline)) make_all(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    for (unsigned i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
        id made = makers[i]();
        [in_use addObject:made];
        [made release];
    }
    [pool drain];
}

static void __attribute__((noinline)) go_on(void) {
    for (int i = 0; i < STEPS; i++) {
        NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
        [in_use makeObjectsPerformSelector:@selector(step)];
        for (int k = 0; k < 20; k++) {
            Thumbnail *thumbnail = [[Thumbnail alloc] init];
            [thumbnails addObject:thumbnail];
            [thumbnail release];
        }
        [[NSRunLoop currentRunLoop] runUntilDate:[NSDate dateWithTimeIntervalSinceNow:0.001]];
        [pool drain];
    }
}

static void __attribute__((noinline)) let_all_go(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    [in_use makeObjectsPerformSelector:@selector(close)];
    [in_use removeAllObjects];
    [thumbnails removeAllObjects];
    [pool drain];
}

/* What was in frames that are left. */
static void __attribute__((noinline)) clear_stack(void) {
    volatile char room[1 << 16];
    memset((void *)room, 0, sizeof(room));
}

int main(int count, char **words) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    in_use = [[NSMutableArray alloc] init];
    thumbnails = [[NSMutableArray alloc] init];
    make_all();
    go_on();
    let_all_go();
    go_on();
    [thumbnails removeAllObjects];
    clear_stack();
    for (int i = 0; i < MOST_CLASSES && classes[i].of; i++) {
        if (classes[i].alive)
            printf("%s %d\n", [NSStringFromClass(classes[i].of) UTF8String], classes[i].alive);
    }
    printf("done\n");
    fflush(stdout);
    if (count > 1 && strcmp(words[1], "WAIT") == 0)
        getchar();
    [pool drain];
    return 0;
}
