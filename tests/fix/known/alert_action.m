/* The handler of an alert's action reads the alert. */
#import "doubles.h"
#import "known.h"

@interface RenameAlert : UIAlertController
@property (nonatomic, strong) Counted *field;
@end
@implementation RenameAlert
@end

@interface Renamed : Counted
@property (nonatomic) int times;
@end
@implementation Renamed
@end

void known_mistake(void) {
    Renamed *file = [[Renamed alloc] init];
    RenameAlert *alert = [[RenameAlert alloc] init];
    alert.field = [[Counted alloc] init];
    UIAlertAction *ok = [UIAlertAction actionWithTitle:@"OK"
                                               handler:^(id action) {
                                                   (void)action;
                                                   if (alert.field)
                                                       file.times++;
                                               }];
    [alert addAction:ok];
    [[alert firstAction] tap];
    assert(file.times == 1);
}
