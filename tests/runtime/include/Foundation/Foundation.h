/*
 * Foundation.h - the few Foundation classes that leaks are made of. See ../../README.md for what
 * this is (a test double) and is not.
 */
#ifndef LOUPE_TEST_FOUNDATION_H
#define LOUPE_TEST_FOUNDATION_H

#import <Foundation/NSObjCRuntime.h>
#import <Foundation/NSObject.h>
#import <Foundation/NSFastEnumeration.h>
#import <Foundation/NSString.h>
#import <Foundation/NSValue.h>
#import <Foundation/NSArray.h>
#import <Foundation/NSDictionary.h>
#import <Foundation/NSSet.h>
#import <Foundation/NSMapTable.h>
#import <Foundation/NSTimer.h>

#endif
