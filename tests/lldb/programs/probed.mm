// For the dispose probe: a block whose extended layout calls `this` strong, in a program that is
// stripped of the names that would tell otherwise.
#import <Foundation/Foundation.h>

@interface Item : NSObject {
  @public
    NSObject *_strong;
    __weak NSObject *_weak;
    NSObject *_several[2];
    long _number;
}
@end
@implementation Item
@end

extern "C" {
extern void *probedBlock, *probedItem;
void *probedBlock, *probedItem;
void probedReady(void) {}
}

class Session {
  public:
    void (^make(NSObject *object))(void) {
        __unsafe_unretained NSObject *unretained = object;
        return ^{
            number++;
            (void)object;
            (void)unretained;
        };
    }

  private:
    long number = 0;
};

int main() {
    Session session;
    Item *item = [Item new];
    id block = session.make(item);
    __weak NSObject *weak[200]; // so that the runtime's tables have room for more weak references
    NSObject *others[200];
    for (unsigned i = 0; i < 200; i++)
        weak[i] = others[i] = [Item new];
    item->_weak = item;
    probedItem = (__bridge void *)item;
    probedBlock = (__bridge void *)block;
    probedReady();
    return 0;
}
