/* What the two sources of the newsroom share: only clang compiles the one with blocks. */
#ifndef LOUPE_TESTS_LEAKS_NEWSROOM_H
#define LOUPE_TESTS_LEAKS_NEWSROOM_H

#import <Foundation/Foundation.h>

@interface Counted : NSObject
- (void)step;
- (void)close;
@end

/* That something of a class that is not counted was made, or released. */
void count_one(int more);

/* Whether the change was made. */
int is_changed(const char *what);

id make_tapped(void);
id make_printer(void);

#endif
