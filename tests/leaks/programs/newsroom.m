/*
 * A newsroom on GNUstep, as people write it: models, screens and controllers of manual retain and
 * release, with the mistakes that such a program has. What a Foundation holds is held by that of
 * GNUstep: a timer, a thread, an undo manager, an invocation, collections, a run loop.
 *
 * usage: newsroom                  makes all mistakes; says "ready" and waits while all are in use,
 *                                  and when nobody uses them
 *        newsroom MISTAKE CHANGE   makes one, with this change made in the source (-: none), uses it,
 *                                  lets it go and goes on; ends with 0 if nothing of it is left, else
 *                                  with 1
 *
 * What it does with what was freed is for NSZombieEnabled or AddressSanitizer to see.
 */
#import <Foundation/Foundation.h>

#include "newsroom.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 10 };

static const char *change;
static int alive;

int is_changed(const char *what) {
    return change && strcmp(change, what) == 0;
}

void count_one(int more) {
    alive += more;
}

/* What an ivar keeps, or does not by a change. */
static id keep(const char *ivar, id value) {
    return is_changed(ivar) ? value : [value retain];
}

static void let_go(const char *ivar, id value) {
    if (!is_changed(ivar))
        [value release];
}

@implementation Counted
- (id)init {
    self = [super init];
    alive++;
    return self;
}
- (void)step {
}
- (void)close {
}
- (void)dealloc {
    alive--;
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
    issue = keep("Article.issue", anIssue);
    title = [[NSMutableString alloc] initWithString:@"untitled"];
    return self;
}
- (void)step {
    [issue hash];
}
- (void)dealloc {
    let_go("Article.issue", issue);
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
    delegate = keep("PageView.delegate", aDelegate);
}
- (void)step {
    [delegate hash];
}
- (void)dealloc {
    let_go("PageView.delegate", delegate);
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
    if (is_changed("invalidate timer"))
        [timer invalidate];
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
    if (is_changed("remove from observers"))
        [wire removeObserver:self];
}
- (void)dealloc {
    [wire release];
    [super dealloc];
}
@end

/* ---- Several observers of one class, which own what they observe ---- */

@interface Dispatch : Counted {
    NSMutableArray *listeners;
}
- (void)addListener:(id)listener;
- (void)removeListener:(id)listener;
@end
@implementation Dispatch
- (id)init {
    self = [super init];
    listeners = [[NSMutableArray alloc] init];
    return self;
}
- (void)addListener:(id)listener {
    [listeners addObject:listener];
}
- (void)removeListener:(id)listener {
    [listeners removeObjectIdenticalTo:listener];
}
- (void)step {
    [listeners makeObjectsPerformSelector:@selector(hash)];
}
- (void)dealloc {
    [listeners release];
    [super dealloc];
}
@end
@interface Reporter : Counted {
    Dispatch *dispatch;
}
- (id)initWithDispatch:(Dispatch *)aDispatch;
@end
@implementation Reporter
- (id)initWithDispatch:(Dispatch *)aDispatch {
    self = [super init];
    dispatch = [aDispatch retain];
    [dispatch addListener:self];
    return self;
}
- (void)step {
    [dispatch step];
}
- (void)close {
    if (is_changed("remove from listeners"))
        [dispatch removeListener:self];
}
- (void)dealloc {
    [dispatch release];
    [super dealloc];
}
@end
@interface Bureau : Counted {
    Reporter *first, *second;
}
@end
@implementation Bureau
- (id)init {
    self = [super init];
    Dispatch *dispatch = [[Dispatch alloc] init];
    first = [[Reporter alloc] initWithDispatch:dispatch];
    second = [[Reporter alloc] initWithDispatch:dispatch];
    [dispatch release];
    return self;
}
- (void)step {
    [first step];
    [second step];
}
- (void)close {
    [first close];
    [second close];
}
- (void)dealloc {
    [first release];
    [second release];
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
    part->outer = keep("Section.outer", self);
    [parts setObject:part forKey:name];
}
- (void)step {
    [[parts allValues] makeObjectsPerformSelector:@selector(step)];
    [outer hash];
}
- (void)dealloc {
    let_go("Section.outer", outer);
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
    if (!is_changed("end thread"))
        return;
    [thread release];
    thread = nil;
}
- (void)dealloc {
    [thread release];
    [super dealloc];
}
@end

/* Two actions: a ring each, and one change for both. */
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
    if (is_changed("remove actions"))
        [undo removeAllActions];
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
    if (!is_changed("release invocation"))
        return;
    [action release];
    action = nil;
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
    if (is_changed("release Draft"))
        [draft release];
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
        if (is_changed("release Photo"))
            [photo release];
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
    if (is_changed("release Font"))
        [font release];
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
    if (change)
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
static id make_bureau(void) {
    return [[Bureau alloc] init];
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

static const struct mistake {
    const char *name;
    id (*make)(void);
} mistakes[] = {{"issue", make_issue},     {"window", make_window},   {"ticker", make_ticker},
                {"wire", make_wire},       {"sections", make_sections}, {"indexer", make_indexer},
                {"sketch", make_sketch},   {"command", make_command}, {"editor", make_editor},
                {"roll", make_roll},       {"caption", make_caption}, {"folder", make_folder},
                {"saver", make_saver},     {"bureau", make_bureau},
#ifdef WITH_BLOCKS
                {"tapped", make_tapped},   {"printer", make_printer},
#endif
                {NULL, NULL}};

static NSMutableArray *in_use, *thumbnails;

static void __attribute__((noinline)) make(const char *name) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    for (const struct mistake *mistake = mistakes; mistake->name; mistake++) {
        if (name && strcmp(mistake->name, name) != 0)
            continue;
        id made = mistake->make();
        [in_use addObject:made];
        [made release];
    }
    [pool drain];
}

static void __attribute__((noinline)) go_on(void) {
    for (int i = 0; i < STEPS; i++) {
        NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
        [in_use makeObjectsPerformSelector:@selector(step)];
        for (int k = 0; k < 20 && !change; k++) {
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
    [pool drain];
}

/* What was in frames that are left. */
static void __attribute__((noinline)) clear_stack(void) {
    volatile char room[1 << 16];
    memset((void *)room, 0, sizeof(room));
}

static void wait_for_look(void) {
    char line;
    clear_stack();
    printf("ready\n");
    fflush(stdout);
    while (read(STDIN_FILENO, &line, 1) == 1 && line != '\n')
        continue;
}

int main(int count, char **words) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    in_use = [[NSMutableArray alloc] init];
    thumbnails = [[NSMutableArray alloc] init];
    change = count > 2 ? words[2] : NULL;
    make(count > 2 ? words[1] : NULL);
    go_on();
    if (!change)
        wait_for_look();
    let_all_go();
    go_on();
    if (!change)
        wait_for_look();
    [pool drain];
    return change && alive;
}
