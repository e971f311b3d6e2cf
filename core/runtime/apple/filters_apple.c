/* What Apple's frameworks hold in rings on purpose. */
#include "runtime/abi.h"

/*
 * UIKit's own rings. The names are those of iOS releases from 9 on; a name that is gone matches
 * nothing.
 */
static const struct loupe_filter filters[] = {
    {"UIView", "_subviewCache", NULL, "UIView drops its cache of subviews itself", false, false},
    {"UIHeldAction", "m_target", NULL, "UIKit ends held actions itself", false, false},
    {"UITouch", "_view", NULL, "touches live until the gesture ends", false, false},
    {"UITouch", "_gestureRecognizers", NULL, "touches live until the gesture ends", false, false},
    {"UITouch", "_window", NULL, "touches live until the gesture ends", false, false},
    {"UITouch", "_warpedIntoView", NULL, "touches live until the gesture ends", false, false},
    {"_UIViewControllerOneToOneTransitionContext", "_toViewController", NULL,
     "transition contexts live until the transition ends", false, false},
    {"_UIViewControllerOneToOneTransitionContext", "_fromViewController", NULL,
     "transition contexts live until the transition ends", false, false},
    {"UIGestureRecognizer", "_gestureEnvironment", NULL,
     "UIKit owns the environment that all gesture recognizers share", false, false},
};

const struct loupe_filters loupe_apple_filters = {filters, sizeof(filters) / sizeof(*filters)};
