/*
 * Mistakes that everybody makes, in a program of manual retain and release: screens, models,
 * handlers and timers that keep each other. Each is made with its outside owner still there, and once
 * more without it.
 *
 * usage: mistakes TRUTH            makes all, waits while all are in use and when nobody uses them
 *        mistakes NAME REFERENCE[,REFERENCE]...
 *                                  makes one, without these references owning ("FeedScreen._parent",
 *                                  "NSTimer:target", "block:self"), uses it and lets it go
 *
 * The second form is what somebody does who follows the advice: it ends with 0 if all of it was freed
 * after its use, 1 if something is left, 3 if something was used after it was freed.
 *
 * Built with AddressSanitizer memory is freed, and that tells of each use after it.
 *
 * WITHOUT_BLOCKS: on a runtime whose blocks own nothing, and that has no associations.
 */
#import <Foundation/Foundation.h>
#import <objc/runtime.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { USED_AFTER_FREED = 3, STEPS = 10 };

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if __has_feature(address_sanitizer)
#define IS_SANITIZED true
#define USES         int _uses;
#define USE_IT       _uses++
#else
#define IS_SANITIZED false
#define USES
#define USE_IT (void)0
#endif

/* ---- What the advice says ---- */

static const char *changed;

/* Whether the reference owns, as it does by mistake, or was changed. */
static bool owns(const char *reference) {
    size_t length = strlen(reference);
    for (const char *one = changed; one; one = strchr(one, ',')) {
        one += *one == ',';
        if (strncmp(one, reference, length) == 0 && (!one[length] || one[length] == ','))
            return false;
    }
    return true;
}

static id keep(const char *reference, id value) {
    return owns(reference) ? [value retain] : value;
}

static void let_go(const char *reference, id value) {
    if (owns(reference))
        [value release];
}

/* ---- Things that know when they are used after their end ---- */

static unsigned alive;

/* The class of what was freed; its memory stays, so that every use is seen. */
@interface Freed : NSObject
@end
@implementation Freed
+ (void)used {
    fprintf(stderr, "something was used after it was freed\n");
    _exit(USED_AFTER_FREED);
}
- (void)step {
    [Freed used];
}
- (void)touch {
    [Freed used];
}
- (id)retain {
    [Freed used];
    return self;
}
- (oneway void)release {
    [Freed used];
}
@end

@interface Thing : NSObject {
    USES
}
- (void)step;
- (void)touch;
@end
@implementation Thing
- (id)init {
    self = [super init];
    alive++;
    return self;
}
- (void)step {
    USE_IT;
}
- (void)touch {
    USE_IT;
}
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wobjc-missing-super-calls"
- (void)dealloc {
    alive--;
    if (!changed || IS_SANITIZED) {
        [super dealloc];
        return;
    }
#ifndef WITHOUT_BLOCKS
    objc_removeAssociatedObjects(self);
#endif
    object_setClass(self, [Freed class]);
}
#pragma clang diagnostic pop
@end

/* CLASS(Name, IVARS, STEP, END): STEP is done while it is in use, END when it is freed. */
#define CLASS(name, ivars, in_use, at_end)                                                         \
    @interface name : Thing {                                                                      \
      @public                                                                                      \
        ivars                                                                                      \
    }                                                                                              \
    @end                                                                                           \
    @implementation name                                                                           \
    -(void)step {                                                                                  \
        in_use                                                                                     \
    }                                                                                              \
    -(void)dealloc {                                                                               \
        at_end [super dealloc];                                                                    \
    }                                                                                              \
    @end

static void step_all(NSArray *items) {
    for (NSUInteger i = 0; i < [items count]; i++)
        [[items objectAtIndex:i] step];
}

/* Of what is retained by none but a collection: an array whose items it does or does not own. */
static void add(const char *reference, NSMutableArray *array, id item) {
    [array addObject:item];
    if (!owns(reference))
        [item release];
}

static void drop_all(const char *reference, NSMutableArray *array) {
    if (!owns(reference)) {
        for (NSUInteger i = 0; i < [array count]; i++)
            [[array objectAtIndex:i] retain];
    }
    [array release];
}

/* ---- Parents and children ---- */

CLASS(FeedScreen, NSMutableArray *_items; FeedScreen *_parent;, step_all(_items); [_parent touch];
      , let_go("FeedScreen._parent", _parent); let_go("FeedScreen._items", _items);)

static Thing *make_feed(void) {
    FeedScreen *feed = [[FeedScreen alloc] init];
    NSMutableArray *items = [[NSMutableArray alloc] init];
    feed->_items = keep("FeedScreen._items", items);
    [items release];
    for (unsigned i = 0; i < 4; i++) {
        FeedScreen *screen = [[FeedScreen alloc] init];
        screen->_parent = keep("FeedScreen._parent", feed);
        [items addObject:screen];
        [screen release];
    }
    return feed;
}

@class ChildController;
CLASS(SplitController, NSMutableArray *_controllers;, step_all(_controllers);
      , [_controllers release];)
CLASS(ChildController, SplitController *_parentController;, [_parentController touch];
      , let_go("ChildController._parentController", _parentController);)

static Thing *make_children(void) {
    SplitController *split = [[SplitController alloc] init];
    split->_controllers = [[NSMutableArray alloc] init];
    for (unsigned i = 0; i < 2; i++) {
        ChildController *child = [[ChildController alloc] init];
        child->_parentController = keep("ChildController._parentController", split);
        [split->_controllers addObject:child];
        [child release];
    }
    return split;
}

/* ---- Delegates ---- */

/* The window shows the view that the controller made, and has it beside the controller. */
@class MailController;
CLASS(MessageView, Thing *_delegate;, [_delegate touch];
      , let_go("MessageView._delegate", _delegate);)
CLASS(MailController, MessageView *_view;, [_view step]; , let_go("MailController._view", _view);)
CLASS(MailWindow, MailController *_root; MessageView *_content;, [_root step]; [_content step];
      , [_content release]; [_root release];)

static Thing *make_mail(void) {
    MailWindow *window = [[MailWindow alloc] init];
    MailController *controller = [[MailController alloc] init];
    MessageView *view = [[MessageView alloc] init];
    controller->_view = keep("MailController._view", view);
    view->_delegate = keep("MessageView._delegate", controller);
    window->_content = [view retain];
    window->_root = [controller retain];
    [view release];
    [controller release];
    return window;
}

CLASS(Downloader, Thing *_delegate;, [_delegate touch];
      , let_go("Downloader._delegate", _delegate);)
CLASS(PhotoAlbum, Downloader *_downloader;, [_downloader step];
      , let_go("PhotoAlbum._downloader", _downloader);)

static Thing *make_delegate(void) {
    PhotoAlbum *album = [[PhotoAlbum alloc] init];
    Downloader *downloader = [[Downloader alloc] init];
    album->_downloader = keep("PhotoAlbum._downloader", downloader);
    downloader->_delegate = keep("Downloader._delegate", album);
    [downloader release];
    return album;
}

/* Two rings that share only the controller: no change breaks both. */
CLASS(Toolbar, Thing *_delegate;, [_delegate touch]; , let_go("Toolbar._delegate", _delegate);)
CLASS(Sheet, Thing *_owner;, [_owner touch]; , let_go("Sheet._owner", _owner);)
CLASS(EditorController, Toolbar *_toolbar; Sheet *_sheet;, [_toolbar step]; [_sheet step];
      , [_toolbar release]; [_sheet release];)

static Thing *make_editor(void) {
    EditorController *editor = [[EditorController alloc] init];
    editor->_toolbar = [[Toolbar alloc] init];
    editor->_toolbar->_delegate = keep("Toolbar._delegate", editor);
    editor->_sheet = [[Sheet alloc] init];
    editor->_sheet->_owner = keep("Sheet._owner", editor);
    return editor;
}

/* ---- Handlers ---- */

#ifndef WITHOUT_BLOCKS
typedef void (^Handler)(void);

/* What a handler captures: self, or the same without retaining it. */
static Handler handler_of(Thing *thing, const char *reference) {
    if (owns(reference)) {
        Thing *self = thing;
        return [^{
            [self touch];
        } copy];
    }
    __block Thing *unowned = thing;
    return [^{
        [unowned touch];
    } copy];
}

#define KEEPS_HANDLER(name, handler)                                                               \
    CLASS(name, Handler handler;, handler(); , [handler release];)

CLASS(PhotoScreen, Handler _onTap;, _onTap(); , [_onTap release];)

static Thing *make_handler(void) {
    PhotoScreen *screen = [[PhotoScreen alloc] init];
    screen->_onTap = handler_of(screen, "block:self");
    return screen;
}

KEEPS_HANDLER(ImportOperation, _completionBlock)
CLASS(Importer, ImportOperation *_operation;, [_operation step]; , [_operation release];)

static Thing *make_operation(void) {
    Importer *importer = [[Importer alloc] init];
    importer->_operation = [[ImportOperation alloc] init];
    importer->_operation->_completionBlock = handler_of(importer, "block:self");
    return importer;
}

KEEPS_HANDLER(NotificationToken, _block)
CLASS(Inbox, NotificationToken *_token;, [_token step]; , [_token release];)

static Thing *make_token(void) {
    Inbox *inbox = [[Inbox alloc] init];
    inbox->_token = [[NotificationToken alloc] init];
    inbox->_token->_block = handler_of(inbox, "block:self");
    return inbox;
}

KEEPS_HANDLER(DispatchSource, _eventHandler)
CLASS(FileWatcher, DispatchSource *_source;, [_source step]; , [_source release];)

static Thing *make_source(void) {
    FileWatcher *watcher = [[FileWatcher alloc] init];
    watcher->_source = [[DispatchSource alloc] init];
    watcher->_source->_eventHandler = handler_of(watcher, "block:self");
    return watcher;
}

CLASS(StatusBar, NSMutableArray *_handlers;, (void)_handlers; , [_handlers release];)

static Thing *make_handlers(void) {
    StatusBar *bar = [[StatusBar alloc] init];
    bar->_handlers = [[NSMutableArray alloc] init];
    for (unsigned i = 0; i < 3; i++) {
        Handler handler = handler_of(bar, "block:self");
        [bar->_handlers addObject:(id)handler];
        [handler release];
    }
    return bar;
}

#endif

/* ---- Observers ---- */

CLASS(KVOController, Thing *_observer;, [_observer touch];
      , let_go("KVOController._observer", _observer);)
CLASS(Gauge, KVOController *_values;, [_values step]; , let_go("Gauge._values", _values);)

static Thing *make_observation(void) {
    Gauge *gauge = [[Gauge alloc] init];
    KVOController *values = [[KVOController alloc] init];
    gauge->_values = keep("Gauge._values", values);
    values->_observer = keep("KVOController._observer", gauge);
    [values release];
    return gauge;
}

/* ---- Targets ---- */

CLASS(DisplayLink, Thing *_target;, [_target touch]; , let_go("DisplayLink._target", _target);)
CLASS(ClockFace, DisplayLink *_link;, [_link step]; , let_go("ClockFace._link", _link);)

static Thing *make_link(void) {
    ClockFace *face = [[ClockFace alloc] init];
    DisplayLink *link = [[DisplayLink alloc] init];
    face->_link = keep("ClockFace._link", link);
    link->_target = keep("DisplayLink._target", face);
    [link release];
    return face;
}

CLASS(WorkThread, Thing *_target;, [_target touch]; , let_go("WorkThread._target", _target);)
CLASS(Indexer, WorkThread *_thread;, [_thread step]; , let_go("Indexer._thread", _thread);)

static Thing *make_thread(void) {
    Indexer *indexer = [[Indexer alloc] init];
    WorkThread *thread = [[WorkThread alloc] init];
    indexer->_thread = keep("Indexer._thread", thread);
    thread->_target = keep("WorkThread._target", indexer);
    [thread release];
    return indexer;
}

CLASS(UndoAction, Thing *_target;, [_target touch]; , let_go("UndoAction._target", _target);)
CLASS(UndoStack, NSMutableArray *_actions;, step_all(_actions); , [_actions release];)
CLASS(Drawing, UndoStack *_undo;, [_undo step]; , let_go("Drawing._undo", _undo);)

static Thing *make_undo(void) {
    Drawing *drawing = [[Drawing alloc] init];
    UndoStack *undo = [[UndoStack alloc] init];
    UndoAction *action = [[UndoAction alloc] init];
    undo->_actions = [[NSMutableArray alloc] init];
    drawing->_undo = keep("Drawing._undo", undo);
    action->_target = keep("UndoAction._target", drawing);
    [undo->_actions addObject:action];
    [action release];
    [undo release];
    return drawing;
}

@interface Poller : Thing {
  @public
    NSTimer *_timer;
}
- (void)tick:(NSTimer *)timer;
@end
@implementation Poller
- (void)tick:(NSTimer *)timer {
    (void)timer;
}
- (void)dealloc {
    [_timer release];
    [super dealloc];
}
@end

static Thing *make_timer(void) {
    Poller *poller = [[Poller alloc] init];
    poller->_timer = [[NSTimer scheduledTimerWithTimeInterval:3600
                                                       target:poller
                                                     selector:@selector(tick:)
                                                     userInfo:nil
                                                      repeats:YES] retain];
    return poller;
}

static void before_letting_go(Thing *thing) {
    if ([thing isKindOfClass:[Poller class]] && !owns("NSTimer:target"))
        [((Poller *)thing)->_timer invalidate];
}

/* ---- Caches and models ---- */

CLASS(ThumbCache, NSMutableDictionary *_screens;, (void)_screens; , [_screens release];)
CLASS(DetailScreen, ThumbCache *_cache;, [_cache touch]; , let_go("DetailScreen._cache", _cache);)

static Thing *make_cache(void) {
    ThumbCache *cache = [[ThumbCache alloc] init];
    cache->_screens = [[NSMutableDictionary alloc] init];
    NSString *const keys[] = {@"one", @"two", @"three"};
    for (unsigned i = 0; i < 3; i++) {
        DetailScreen *screen = [[DetailScreen alloc] init];
        screen->_cache = keep("DetailScreen._cache", cache);
        [cache->_screens setObject:screen forKey:keys[i]];
        [screen release];
    }
    return cache;
}

/* A model that keeps those who want to be told: it is made by one of them, which alone owns it. */
CLASS(Ledger, NSMutableArray *_observers;, step_all(_observers);
      , drop_all("Ledger._observers[]", _observers);)
CLASS(LedgerController, Ledger *_ledger; bool _is_told;, if (!_is_told) {
    _is_told = true;
    [_ledger step];
    _is_told = false;
} , let_go("LedgerController._ledger", _ledger);)

static Thing *make_model(void) {
    LedgerController *controller = [[LedgerController alloc] init];
    Ledger *ledger = [[Ledger alloc] init];
    ledger->_observers = [[NSMutableArray alloc] init];
    controller->_ledger = keep("LedgerController._ledger", ledger);
    add("Ledger._observers[]", ledger->_observers, controller);
    [ledger release];
    return controller;
}

/* ---- Associations ---- */

#ifndef WITHOUT_BLOCKS
static char decorated;
CLASS(Decoration, Thing *_host;, [_host touch]; , let_go("Decoration._host", _host);)
CLASS(Button, Decoration *_unretained;, [_unretained step]; , (void)0;)

static Thing *make_association(void) {
    Button *button = [[Button alloc] init];
    Decoration *decoration = [[Decoration alloc] init];
    bool is_owned = owns("Button:association");
    decoration->_host = keep("Decoration._host", button);
    button->_unretained = decoration;
    objc_setAssociatedObject(button, &decorated, decoration,
                             is_owned ? OBJC_ASSOCIATION_RETAIN : OBJC_ASSOCIATION_ASSIGN);
    [decoration release];
    return button;
}
#endif

/* ---- No ring ---- */

CLASS(Receipt, int _number;, (void)_number; , (void)0;)
CLASS(Shop, Receipt *_receipt;, [_receipt touch]; , [_receipt release];)

static Thing *make_missing_release(void) {
    Shop *shop = [[Shop alloc] init];
    shop->_receipt = [[[Receipt alloc] init] retain];
    if (!owns("Receipt:release"))
        [shop->_receipt release];
    return shop;
}

/* ---- All of them ---- */

static const struct {
    const char *name;
    Thing *(*make)(void);
} mistakes[] = {
    {"feed", make_feed},
    {"children", make_children},
    {"mail", make_mail},
    {"delegate", make_delegate},
    {"editor", make_editor},
    {"observation", make_observation},
    {"link", make_link},
    {"thread", make_thread},
    {"undo", make_undo},
    {"timer", make_timer},
    {"cache", make_cache},
    {"model", make_model},
    {"missing_release", make_missing_release},
#ifndef WITHOUT_BLOCKS
    {"handler", make_handler},
    {"operation", make_operation},
    {"token", make_token},
    {"source", make_source},
    {"handlers", make_handlers},
    {"association", make_association},
#endif
};
enum { MISTAKES = sizeof(mistakes) / sizeof(*mistakes) };

/* Where words of what made them may be. */
__attribute__((noinline)) static void scrub(void) {
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

static void wait_for_a_look(void) {
    scrub();
    puts("ready");
    fflush(stdout);
    getchar();
}

static Thing *in_use[MISTAKES];

__attribute__((noinline)) static void make_all(void) {
    for (unsigned i = 0; i < MISTAKES; i++)
        in_use[i] = mistakes[i].make();
}

__attribute__((noinline)) static void let_all_go(void) {
    for (unsigned i = 0; i < MISTAKES; i++) {
        [in_use[i] release];
        in_use[i] = nil;
    }
}

static int follow(const char *name) {
    unsigned i = 0;
    while (i < MISTAKES && strcmp(mistakes[i].name, name) != 0)
        i++;
    if (i == MISTAKES)
        return 2;
    @autoreleasepool {
        Thing *thing = mistakes[i].make();
        for (unsigned step = 0; step < STEPS; step++)
            [thing step];
        before_letting_go(thing);
        [thing release];
    }
    return alive ? 1 : 0;
}

int main(int count, char **arguments) {
    if (count == 3) {
        changed = arguments[2];
        return follow(arguments[1]);
    }
    @autoreleasepool {
        make_all();
    }
    wait_for_a_look();
    @autoreleasepool {
        let_all_go();
    }
    wait_for_a_look();
    return 0;
}
