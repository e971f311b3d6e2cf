/* The block of a notification captures what owns its token. */
#import "doubles.h"
#import "known.h"

@interface Inbox : Counted
@property (nonatomic, strong) id token;
@property (nonatomic) int updates;
- (void)watch;
@end

@implementation Inbox
- (void)watch {
    self.token = [[NSNotificationCenter defaultCenter] addObserverForName:@"mail"
                                                                   object:nil
                                                                    queue:nil
                                                               usingBlock:^(id note) {
                                                                   (void)note;
                                                                   self.updates++;
                                                               }];
}
- (void)dealloc {
    [[NSNotificationCenter defaultCenter] removeObserver:_token];
}
@end

void known_mistake(void) {
    Inbox *inbox = [[Inbox alloc] init];
    [inbox watch];
    [[NSNotificationCenter defaultCenter] post:inbox.token];
    assert(inbox.updates == 1);
}
