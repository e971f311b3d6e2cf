/* A wrapper around a control's target keeps the owner of the control. */
#import "doubles.h"
#import "known.h"

@interface Button : Counted
@property (nonatomic, strong) UIControlTarget *wrapper;
@property (nonatomic) int taps;
- (void)prepare;
@end

@implementation Button
- (void)prepare {
    self.wrapper = [[UIControlTarget alloc] init];
    [self.wrapper onTap:^{
        self.taps++;
    }];
}
@end

void known_mistake(void) {
    Button *button = [[Button alloc] init];
    [button prepare];
    [button.wrapper tap];
    assert(button.taps == 1);
}
