/* Doubles of Apple's classes, which retain by hand as those do. */
#import "doubles.h"

#include <stdint.h>
#include <stdlib.h>

@implementation CADisplayLink {
    id _target;
    SEL _selector;
}
+ (CADisplayLink *)displayLinkWithTarget:(id)target selector:(SEL)selector {
    CADisplayLink *link = [[[self alloc] init] autorelease];
    link->_target = [target retain];
    link->_selector = selector;
    return link;
}
- (void)fire {
    [_target performSelector:_selector];
}
- (void)invalidate {
    [_target release];
    _target = nil;
}
- (void)dealloc {
    [_target release];
    [super dealloc];
}
@end

@implementation CAAnimation
- (void)dealloc {
    [_delegate release];
    [super dealloc];
}
@end

@implementation NSURLSession {
    id _delegate;
}
+ (NSURLSession *)sessionWithConfiguration:(id)configuration
                                  delegate:(id)delegate
                             delegateQueue:(id)queue {
    NSURLSession *session = [[[self alloc] init] autorelease];
    (void)configuration;
    (void)queue;
    session->_delegate = [delegate retain];
    return session;
}
- (id)delegate {
    return _delegate;
}
- (void)finishTasksAndInvalidate {
    [_delegate release];
    _delegate = nil;
}
- (void)invalidateAndCancel {
    [self finishTasksAndInvalidate];
}
- (void)dealloc {
    [_delegate release];
    [super dealloc];
}
@end

@implementation NSURLConnection {
    id _delegate;
}
- (instancetype)initWithRequest:(id)request delegate:(id)delegate {
    (void)request;
    if ((self = [super init]))
        _delegate = [delegate retain];
    return self;
}
- (id)delegate {
    return _delegate;
}
- (void)cancel {
    [_delegate release];
    _delegate = nil;
}
- (void)dealloc {
    [_delegate release];
    [super dealloc];
}
@end

@implementation WKUserContentController {
    NSMutableDictionary *_handlers;
}
- (void)addScriptMessageHandler:(id)handler name:(NSString *)name {
    if (!_handlers)
        _handlers = [[NSMutableDictionary alloc] init];
    [_handlers setObject:handler forKey:name];
}
- (void)removeScriptMessageHandlerForName:(NSString *)name {
    [_handlers removeObjectForKey:name];
}
- (id)handlerForName:(NSString *)name {
    return [_handlers objectForKey:name];
}
- (void)dealloc {
    [_handlers release];
    [super dealloc];
}
@end

@implementation UIAlertAction {
    DoubleCall _handler;
}
+ (UIAlertAction *)actionWithTitle:(NSString *)title handler:(DoubleCall)handler {
    UIAlertAction *action = [[[self alloc] init] autorelease];
    (void)title;
    action->_handler = [handler copy];
    return action;
}
- (void)tap {
    _handler(self);
}
- (void)dealloc {
    [_handler release];
    [super dealloc];
}
@end

@implementation UIAlertController {
    NSMutableArray *_actions;
}
- (void)addAction:(UIAlertAction *)action {
    if (!_actions)
        _actions = [[NSMutableArray alloc] init];
    [_actions addObject:action];
}
- (UIAlertAction *)firstAction {
    return [_actions objectAtIndex:0];
}
- (void)dealloc {
    [_actions release];
    [super dealloc];
}
@end

@implementation UIControlTarget {
    DoubleBlock _block;
}
- (void)onTap:(DoubleBlock)block {
    [_block release];
    _block = [block copy];
}
- (void)tap {
    _block();
}
- (void)dealloc {
    [_block release];
    [super dealloc];
}
@end

@implementation NSXPCConnection
- (void)invalidate {
    self.interruptionHandler = nil;
}
- (void)dealloc {
    [_interruptionHandler release];
    [super dealloc];
}
@end

@implementation NSURLSessionTask {
    DoubleCall _handler;
}
+ (NSURLSessionTask *)dataTaskWithCompletionHandler:(DoubleCall)handler {
    NSURLSessionTask *task = [[[self alloc] init] autorelease];
    task->_handler = [handler copy];
    return task;
}
- (void)answer:(id)data {
    _handler(data);
}
- (void)dealloc {
    [_handler release];
    [super dealloc];
}
@end

@implementation NSOperation {
    NSMutableArray *_dependencies;
}
- (void)addDependency:(NSOperation *)other {
    if (!_dependencies)
        _dependencies = [[NSMutableArray alloc] init];
    [_dependencies addObject:other];
}
- (void)start {
    if (_completionBlock)
        _completionBlock();
}
- (void)dealloc {
    [_dependencies release];
    [_completionBlock release];
    [super dealloc];
}
@end

@implementation NSBlockOperation {
    NSMutableArray *_executionBlocks;
}
- (void)addExecutionBlock:(DoubleBlock)block {
    if (!_executionBlocks)
        _executionBlocks = [[NSMutableArray alloc] init];
    DoubleBlock copied = [block copy];
    [_executionBlocks addObject:copied];
    [copied release];
}
- (void)start {
    for (NSUInteger i = 0; i < [_executionBlocks count]; i++)
        ((DoubleBlock)[_executionBlocks objectAtIndex:i])();
    [super start];
}
- (void)dealloc {
    [_executionBlocks release];
    [super dealloc];
}
@end

/* As libdispatch lays out a source, and what it calls. */
struct continuation {
    void *fields[5];
    DoubleBlock block;
};

struct source_references {
    void *field;
    uintptr_t owner; /* complemented */
    void *fields[3];
    struct continuation *handlers[3];
};

@implementation OS_dispatch_source {
    void *_fields[10];
    struct source_references *_references;
}
- (id)init {
    if ((self = [super init])) {
        _references = calloc(1, sizeof(*_references));
        _references->owner = ~(uintptr_t)self;
    }
    return self;
}
- (void)setEventHandler:(DoubleBlock)block {
    _references->handlers[0] = calloc(1, sizeof(struct continuation));
    _references->handlers[0]->block = [block copy];
}
- (void)fire {
    _references->handlers[0]->block();
}
- (void)dealloc {
    [_references->handlers[0]->block release];
    free(_references->handlers[0]);
    free(_references);
    [super dealloc];
}
@end

void dispatch_source_set_event_handler(OS_dispatch_source *source, DoubleBlock block) {
    [source setEventHandler:block];
}

@implementation OS_dispatch_queue {
  @public
    NSMutableArray *_pending;
}
- (id)init {
    if ((self = [super init]))
        _pending = [[NSMutableArray alloc] init];
    return self;
}
- (void)runAll {
    NSArray *pending = [[NSArray alloc] initWithArray:_pending];
    [_pending removeAllObjects];
    for (NSUInteger i = 0; i < [pending count]; i++)
        ((DoubleBlock)[pending objectAtIndex:i])();
    [pending release];
}
- (void)dealloc {
    [_pending release];
    [super dealloc];
}
@end

void dispatch_async(OS_dispatch_queue *queue, DoubleBlock block) {
    DoubleBlock copied = [block copy];
    [queue->_pending addObject:copied];
    [copied release];
}

@interface __NSObserver : NSObject
@end
@implementation __NSObserver {
  @public
    DoubleCall _block;
}
- (void)dealloc {
    [_block release];
    [super dealloc];
}
@end

@implementation NSNotificationCenter
+ (NSNotificationCenter *)defaultCenter {
    static NSNotificationCenter *center;
    if (!center)
        center = [[self alloc] init];
    return center;
}
- (id)addObserverForName:(NSString *)name
                  object:(id)object
                   queue:(id)queue
              usingBlock:(DoubleCall)block {
    __NSObserver *observer = [[[__NSObserver alloc] init] autorelease];
    (void)name;
    (void)object;
    (void)queue;
    observer->_block = [block copy];
    return observer;
}
- (void)post:(id)token {
    ((__NSObserver *)token)->_block(nil);
}
- (void)removeObserver:(id)token {
    __NSObserver *observer = token;
    [observer->_block release];
    observer->_block = nil;
}
@end

@implementation NSKeyValueObservation {
    DoubleCall _block;
}
+ (NSKeyValueObservation *)observe:(DoubleCall)block {
    NSKeyValueObservation *observation = [[[self alloc] init] autorelease];
    observation->_block = [block copy];
    return observation;
}
- (void)change:(id)value {
    _block(value);
}
- (void)invalidate {
    [_block release];
    _block = nil;
}
- (void)dealloc {
    [_block release];
    [super dealloc];
}
@end
