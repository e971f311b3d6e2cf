/* An object with an ivar of each sort, on a real GNUstep; prints its address and waits to be ended. */
#import <Foundation/Foundation.h>

#include <stdio.h>
#include <unistd.h>

struct point {
    double x, y;
};

@interface Base : NSObject {
  @public
    long long base;
}
@end

@implementation Base
@end

@interface Sample : Base {
  @public
    NSString *title, *wide, *literal;
    NSMutableString *changing;
    id nothing;
    int count;
    char small;
    unsigned long big;
    float third;
    double tenth;
    struct point place;
    unsigned flag : 1, bits : 3;
    unsigned short letters[3];
    NSNumber *number, *real, *negative;
    NSDate *date;
    NSData *data;
    NSURL *url;
    NSError *error;
    NSException *exception;
    NSArray *list;
    NSDictionary *map;
    NSSet *set;
    NSArray *none;
    NSDecimalNumber *price, *loss, *zero, *vast, *no_number;
    NSUUID *uuid;
    NSIndexSet *no_index, *one_index, *indexes;
    NSValue *range, *rectangle, *pointer, *boxed;
    Class kind;
    const char *label;
    char *astray, **labels;
    SEL action;
}
@end

@implementation Sample
@end

@interface Folder : NSObject {
  @public
    NSMutableArray *entries;
}
@end

@implementation Folder
@end

/* More than a snapshot keeps: of fields in one class, of texts in all. */
@interface Large : NSObject {
  @public
    unsigned short letters[600];
}
@end

@implementation Large
@end

Sample *kept;
NSMutableArray *beyond;

static void fill_beyond_limits(void) {
    enum { TEXTS = 70000, LENGTH = 1000 };
    beyond = [[NSMutableArray alloc] init];
    [beyond addObject:[[Large alloc] init]];
    for (int i = 0; i < TEXTS; i++)
        [beyond addObject:[[NSString alloc] initWithFormat:@"%0*d", LENGTH, i]];
}

static void fill(Sample *sample) {
    sample->base = -7;
    sample->title = [[NSString alloc] initWithFormat:@"Inbox %d", 5];
    sample->wide = [[NSString alloc] initWithUTF8String:"\u0416\u0443\u0440\u043d\u0430\u043b \U0001f600"];
    sample->literal = @"as it is";
    sample->changing = [[NSMutableString alloc] initWithString:@"changing"];
    sample->count = 42;
    sample->small = -3;
    sample->big = ~0UL;
    sample->third = 1 / 3.0f;
    sample->tenth = 0.1;
    sample->place = (struct point){1.5, -2};
    sample->flag = 1;
    sample->bits = 5;
    sample->letters[1] = 65535;
    sample->kind = [NSArray class];
    sample->label = "said in C";
    sample->astray = (char *)8;
    sample->labels = (char **)&sample->label;
    sample->action = @selector(addObject:);
}

static void fill_objects(Sample *sample) {
    sample->number = [[NSNumber alloc] initWithInt:1234567];
    sample->real = [[NSNumber alloc] initWithDouble:2.5];
    sample->negative = [[NSNumber alloc] initWithLongLong:-9000000000];
    sample->date = [[NSDate alloc] initWithTimeIntervalSince1970:1700000000.25];
    sample->data = [[NSData alloc] initWithBytes:"hello\0\xff" length:7];
    sample->url = [[NSURL alloc] initWithString:@"https://example.com/a"];
    sample->error = [[NSError alloc] initWithDomain:@"Demo" code:-5 userInfo:nil];
    sample->exception = [[NSException alloc] initWithName:@"Oops" reason:@"no reason" userInfo:nil];
    sample->list = [[NSArray alloc] initWithObjects:sample->title, sample->number, nil];
    sample->map = [[NSDictionary alloc] initWithObjectsAndKeys:sample->number, @"one", nil];
    sample->set = [[NSSet alloc] initWithObjects:sample->real, nil];
    sample->none = [[NSArray alloc] init];
}

static void fill_boxes(Sample *sample) {
    struct pair {
        short a;
        float b;
    } pair = {-1, 2.5f};
    sample->range = [[NSValue valueWithRange:NSMakeRange(3, 4)] retain];
    sample->rectangle = [[NSValue valueWithRect:NSMakeRect(1, 2, 3.5, -4)] retain];
    sample->pointer = [[NSValue valueWithPointer:(void *)0x1234] retain];
    sample->boxed = [[NSValue valueWithBytes:&pair objCType:@encode(struct pair)] retain];
    sample->uuid = [[NSUUID alloc] initWithUUIDString:@"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"];
    NSMutableIndexSet *indexes = [[NSMutableIndexSet alloc] initWithIndexesInRange:NSMakeRange(3, 4)];
    [indexes addIndex:20];
    sample->indexes = indexes;
    sample->one_index = [[NSIndexSet alloc] initWithIndex:7];
    sample->no_index = [[NSIndexSet alloc] init];
}

static void fill_decimals(Sample *sample) {
    sample->price = [[NSDecimalNumber alloc] initWithString:@"1234.5678"];
    sample->loss = [[NSDecimalNumber alloc] initWithString:@"-0.05"];
    sample->zero = [[NSDecimalNumber zero] retain];
    sample->vast = [[NSDecimalNumber alloc] initWithString:@"12e40"];
    sample->no_number = [[NSDecimalNumber notANumber] retain];
}

/* A string, two dates alike, and a list in a retain cycle. */
__attribute__((noinline)) static void leak(void) {
    [[NSString alloc] initWithFormat:@"left %s", "behind"];
    for (int i = 1; i < 3; i++)
        [[NSDate alloc] initWithTimeIntervalSince1970:1700000000 + i];
    Folder *folder = [[Folder alloc] init];
    folder->entries = [[NSMutableArray alloc] initWithObjects:folder, nil];
    [folder release];
}

/* Where words of what leaks may be. */
__attribute__((noinline)) static void scrub(void) {
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

int main(int argc, char **argv) {
    (void)argv;
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    kept = [[Sample alloc] init];
    fill(kept);
    fill_objects(kept);
    fill_boxes(kept);
    fill_decimals(kept);
    leak();
    scrub();
    if (argc > 1)
        fill_beyond_limits();
    printf("%p\n", (void *)kept);
    fflush(stdout);
    getchar();
    [pool release];
    return 0;
}
