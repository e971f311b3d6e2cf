/* A handler of an XPC connection captures what owns the connection. */
#import "doubles.h"
#import "known.h"

@interface Agent : Counted
@property (nonatomic, strong) NSXPCConnection *connection;
@property (nonatomic) int connects;
- (void)connect;
@end

@implementation Agent
- (void)connect {
    self.connects++;
    self.connection = [[NSXPCConnection alloc] init];
    self.connection.interruptionHandler = ^{
        self.connects++;
    };
}
@end

void known_mistake(void) {
    Agent *agent = [[Agent alloc] init];
    [agent connect];
    agent.connection.interruptionHandler();
    assert(agent.connects == 2);
}
