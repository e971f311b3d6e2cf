/*
 * References to what was freed: a delegate, the owner of three cells, a zombie. Says "ready" and waits until its
 * input goes on. Into the file that is its argument it writes where one was freed that nothing refers to.
 *
 * On Apple's runtime a zombie is an object of the class _NSZombie_ and the name of its own, as
 * CoreFoundation makes it under NSZombieEnabled; what gnustep-base makes is not played.
 */
#import <Foundation/Foundation.h>
#import <objc/runtime.h>

#include <stdio.h>

#define CLASS(name, parts)                                                                         \
    @interface name : NSObject {                                                                   \
      @public                                                                                      \
        parts                                                                                      \
    }                                                                                              \
    @end                                                                                           \
    @implementation name                                                                           \
    @end

CLASS(MailController, char _filler[200];)
CLASS(FeedOwner, char _filler[300];)
CLASS(Album, char _filler[400];)
CLASS(MessageView, MailController *_delegate; NSString *_title; Album *_album; id _nothing;)
CLASS(FeedCell, FeedOwner *_owner;)
CLASS(Player, Album *_album;)
CLASS(Ghost, char _filler[500];)

#ifndef GNUSTEP
@interface _NSZombie_Album : NSObject
@end
@implementation _NSZombie_Album
@end
static void make_zombie(Album *album) {
    object_setClass(album, [_NSZombie_Album class]);
}
#else
static void make_zombie(Album *album) {
    [album release];
}
#endif

enum { CELLS = 3 };

static MessageView *view;
static FeedCell *cells[CELLS];
static Player *player;
static Album *alive;

__attribute__((noinline)) static void make(void) {
    MailController *controller = [[MailController alloc] init];
    FeedOwner *owner = [[FeedOwner alloc] init];
    view = [[MessageView alloc] init];
    view->_delegate = controller;
    view->_title = @"a constant";
    alive = [[Album alloc] init];
    view->_album = alive;
    for (unsigned i = 0; i < CELLS; i++) {
        cells[i] = [[FeedCell alloc] init];
        cells[i]->_owner = owner;
    }
    player = [[Player alloc] init];
    player->_album = [[Album alloc] init];
    [controller release];
    [owner release];
    make_zombie(player->_album);
}

static void tell_ghost(const char *path) {
    FILE *file = fopen(path, "w");
    Ghost *ghost = [[Ghost alloc] init];
    fprintf(file, "%p\n", (void *)ghost);
    fclose(file);
    [ghost release];
}

/* Debuggers stop here. */
__attribute__((noinline)) void danglingReady(void) {
    __asm__ volatile("");
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IONBF, 0);
    setvbuf(stdin, NULL, _IONBF, 0);
    @autoreleasepool {
        make();
        if (count > 1)
            tell_ghost(arguments[1]);
        danglingReady();
        puts("ready");
        getchar();
    }
    return 0;
}
