/*
 * doubles.h - classes of Apple's libraries that keep what programs give them, as far as known
 * mistakes are about them. Nothing here has a screen, a network or a queue: what would call back
 * later does so when it is told to.
 */
#ifndef LOUPE_TESTS_DOUBLES_H
#define LOUPE_TESTS_DOUBLES_H

#import <Foundation/Foundation.h>

/* ---- What acts on a target, or has a delegate ---- */

@interface CADisplayLink : NSObject
+ (CADisplayLink *)displayLinkWithTarget:(id)target selector:(SEL)selector;
- (void)fire;
- (void)invalidate;
@end

@interface CAAnimation : NSObject
@property (nonatomic, retain) id delegate;
@end

@interface NSURLSession : NSObject
+ (NSURLSession *)sessionWithConfiguration:(id)configuration
                                  delegate:(id)delegate
                             delegateQueue:(id)queue;
- (id)delegate;
- (void)finishTasksAndInvalidate;
- (void)invalidateAndCancel;
@end

@interface NSURLConnection : NSObject
- (instancetype)initWithRequest:(id)request delegate:(id)delegate;
- (id)delegate;
- (void)cancel;
@end

@interface WKUserContentController : NSObject
- (void)addScriptMessageHandler:(id)handler name:(NSString *)name;
- (void)removeScriptMessageHandlerForName:(NSString *)name;
- (id)handlerForName:(NSString *)name;
@end

/* ---- What calls a block ---- */

typedef void (^DoubleBlock)(void);
typedef void (^DoubleCall)(id);

@interface UIAlertAction : NSObject
+ (UIAlertAction *)actionWithTitle:(NSString *)title handler:(DoubleCall)handler;
- (void)tap;
@end

@interface UIAlertController : NSObject
- (void)addAction:(UIAlertAction *)action;
- (UIAlertAction *)firstAction;
@end

@interface UIControlTarget : NSObject
- (void)onTap:(DoubleBlock)block;
- (void)tap;
@end

@interface NSXPCConnection : NSObject
@property (nonatomic, copy) DoubleBlock interruptionHandler;
- (void)invalidate;
@end

@interface NSURLSessionTask : NSObject
+ (NSURLSessionTask *)dataTaskWithCompletionHandler:(DoubleCall)handler;
- (void)answer:(id)data;
@end

/* ---- What is done later ---- */

@interface NSOperation : NSObject
@property (nonatomic, copy) DoubleBlock completionBlock;
@property (nonatomic) BOOL isCancelled;
- (void)addDependency:(NSOperation *)other;
- (void)start;
@end

@interface NSBlockOperation : NSOperation
- (void)addExecutionBlock:(DoubleBlock)block;
@end

@interface OS_dispatch_source : NSObject
- (void)setEventHandler:(DoubleBlock)block;
- (void)fire;
@end
void dispatch_source_set_event_handler(OS_dispatch_source *source, DoubleBlock block);

@interface OS_dispatch_queue : NSObject
- (void)runAll;
@end
void dispatch_async(OS_dispatch_queue *queue, DoubleBlock block);

/* ---- What tells of changes ---- */

@interface NSNotificationCenter : NSObject
+ (NSNotificationCenter *)defaultCenter;
- (id)addObserverForName:(NSString *)name
                  object:(id)object
                   queue:(id)queue
              usingBlock:(DoubleCall)block;
- (void)post:(id)token;
- (void)removeObserver:(id)token;
@end

@interface NSKeyValueObservation : NSObject
+ (NSKeyValueObservation *)observe:(DoubleCall)block;
- (void)change:(id)value;
- (void)invalidate;
@end

#endif
