/*
 * What the libraries of GNUstep hold without retaining it, by their documentation and their source
 * (gnustep-base 1.24 to 1.31, gnustep-gui and gnustep-back 0.24 to 0.31). Their classes are
 * compiled without ARC, so that nothing in the target tells.
 */
#include "runtime/abi.h"

#define DELEGATE(cls)                                                                              \
    { cls, "_delegate", NULL, "a delegate is not retained", true, false }
#define TARGET(cls)                                                                                \
    { cls, "_target", NULL, "the target of an action is not retained", true, false }
#define SOURCE(cls)                                                                                \
    { cls, "_dataSource", NULL, "a data source is not retained", true, false }
#define OWNER(cls, way)                                                                            \
    { cls, way, NULL, "it leads back to its owner and is not retained", true, false }
/* The same, and nobody who has only that can be told to release it. */
#define PARENT(cls, way)                                                                           \
    {                                                                                              \
        .source = cls, .path = way, .reason = "it leads back to its owner and is not retained",    \
        .owns_nothing = true, .leads_back = true                                                   \
    }
#define OTHER_HALF(cls, way)                                                                       \
    { cls, way, NULL, "the other half of a pair of streams is not retained", true, false }
#define TWICE(cls, name, owner)                                                                    \
    { cls, name, NULL, "a second name of what " owner " retains", true, false }

static const struct loupe_filter filters[] = {
    /* gnustep-base */
    DELEGATE("NSCache"),
    DELEGATE("NSFileManager"),
    DELEGATE("NSKeyedArchiver"),
    DELEGATE("NSKeyedUnarchiver"),
    DELEGATE("NSNetService"),
    DELEGATE("NSNetServiceBrowser"),
    DELEGATE("NSPort"),
    DELEGATE("GSAvahiClient"),
    DELEGATE("GSMDNSNetServiceMonitor"),
    {"GSMimeSMTPClient", "delegate", NULL, "a delegate is not retained", true, false},
    {"GSMimeSMTPClientInternal", "delegate", NULL, "a delegate is not retained", true, false},
    {"GSXMLRPC", "delegate", NULL, "a delegate is not retained", true, false},
    DELEGATE("NSConnection"),
    DELEGATE("NSConnectionInternal"),
    DELEGATE("NSUserActivity"),
    /* Streams inherit from the public classes and share what they declare by a macro. */
    DELEGATE("GSStream"),
    DELEGATE("GSInputStream"),
    DELEGATE("GSOutputStream"),
    DELEGATE("GSAbstractServerStream"),
    OTHER_HALF("GSSocketStream", "_sibling"),
    OTHER_HALF("GSSocketInputStream", "_sibling"),
    OTHER_HALF("GSSocketOutputStream", "_sibling"),
    OTHER_HALF("GSSocketServerStream", "_sibling"),
    OWNER("GSStreamHandler", "istream"),
    OWNER("GSStreamHandler", "ostream"),
    OWNER("GSPersistentDomain", "owner"),
    OWNER("GSURLDownload", "_parent"),
    OWNER("GSOperationQueueImpl", "_queue"),
    TWICE("GSOperationQueueImpl", "_lock", "the NSOperationQueue"),
    TWICE("GSOperationQueueImpl", "_operations", "the NSOperationQueue"),
    TWICE("GSOperationQueueImpl", "_waiting", "the NSOperationQueue"),
    OWNER("_NSURLConnectionDataCollector", "_connection"),
    {"GSKVOObservation", "observer", NULL, "an observer is not retained", true, false},
    {"GSRunLoopWatcher", "receiver", NULL, "a receiver of events is not retained", true, false},

    {"GSTimedPerformer", "timer", NULL, "a delayed message goes once it was sent or cancelled",
     false, false},
    {"NSAutoreleasePool", NULL, NULL, "a pool releases its objects when it is drained", false,
     false},

    /* gnustep-gui */
    DELEGATE("NSAlert"),
    DELEGATE("NSAnimation"),
    DELEGATE("NSApplication"),
    {"NSBrowser", "_browserDelegate", NULL, "a delegate is not retained", true, false},
    DELEGATE("NSDatePickerCell"),
    DELEGATE("NSDrawer"),
    DELEGATE("NSFontManager"),
    DELEGATE("NSImage"),
    DELEGATE("GSLayoutManager"),
    DELEGATE("NSMatrix"),
    DELEGATE("NSMenu"),
    DELEGATE("NSPathCell"),
    DELEGATE("NSPopover"),
    DELEGATE("NSSavePanel"),
    DELEGATE("NSSound"),
    DELEGATE("NSSplitView"),
    DELEGATE("NSTabView"),
    DELEGATE("NSTableView"),
    DELEGATE("NSTextView"),
    DELEGATE("NSTextField"),
    DELEGATE("NSTextStorage"),
    DELEGATE("NSToolbar"),
    DELEGATE("NSWindow"),
    TARGET("NSActionCell"),
    TARGET("NSBrowser"),
    TARGET("NSColorPanel"),
    TARGET("NSColorWell"),
    TARGET("NSImageView"),
    TARGET("NSMatrix"),
    TARGET("NSMenuItem"),
    TARGET("NSScroller"),
    TARGET("NSTableView"),
    SOURCE("NSComboBoxCell"),
    SOURCE("NSTableView"),
    PARENT("NSActionCell", "_control_view"),
    PARENT("NSMenu", "_popUpButtonCell"),
    PARENT("NSMenu", "_superMenu"),
    PARENT("NSMenuItem", "_menu"),
    PARENT("NSMenuItemCell", "_menuView"),
    OWNER("NSMenuPanel", "_the_menu"),
    OWNER("NSMenuView", "_attachedMenu"),
    PARENT("NSResponder", "_next_responder"),
    OWNER("NSRulerView", "_clientView"),
    OWNER("NSRulerView", "_scrollView"),
    PARENT("NSTabViewItem", "_tabview"),
    PARENT("NSTableColumn", "_tableView"),
    PARENT("NSTableHeaderView", "_tableView"),
    OWNER("NSTextContainer", "_layoutManager"),
    OWNER("NSTextView", "_layoutManager"),
    OWNER("NSTextView", "_notifObject"),
    OWNER("NSClipView", "_documentView"),
    OWNER("GSHorizontalTypesetter", "curLayoutManager"),
    OWNER("GSHorizontalTypesetter", "curTextStorage"),
    OWNER("GSLayoutManager", "_textStorage"),
    OWNER("GSServicesManager", "_application"),
    OWNER("GSTitleView", "_owner"),
    PARENT("GSWindowDecorationView", "window"),
    PARENT("NSView", "_super_view"),
    PARENT("NSView", "_window"),
    {"NSTextContainer", "_textView", NULL,
     "a text view takes back what its container retains of it", false, false},
    {"NSGraphicsContext", "context_info", NULL,
     "a window takes back what its context retains of it", false, false},
    {"GSServicesManager", "_timer", NULL, "there is one, which lives as long as the application",
     false, false},
    {"NSWindow", "_firstResponder", NULL, "a first responder is not retained", true, false},
    {"NSNotificationCenter", "observers", "NSWindow", "a window observes for itself", true, true},
    {"NSConcreteMapTable", NULL, "NSWindow", "displays know windows without retaining them", true,
     true},
    OWNER("NSWindowController", "_document"),
    OWNER("NSWindowController", "_owner"),
    OWNER("NSWindow", "_windowController"),
    OWNER("NSWindow", "_parent"),
    {"NSWindow", "_futureFirstResponder", NULL, "a first responder is not retained", true, false},
    PARENT("NSToolbarItem", "_toolbar"),
    PARENT("GSToolbarButton", "_toolbarItem"),
    PARENT("GSToolbarBackView", "_toolbarItem"),
    PARENT("GSToolbarView", "_toolbar"),
    OWNER("GSValidationObject", "_window"),
    OWNER("GSValidationObject", "_trackingRectView"),
    {"GSTrackingRect", "owner", NULL, "the owner of a tracking rectangle is not retained", true,
     false},
    PARENT("GSToolTips", "view"),
    OWNER("GSDrawerWindow", "_drawer"),
    TWICE("NSWindow", "_contentView", "its decoration view"),
    TWICE("NSBox", "_content_view", "its list of subviews"),
    TWICE("NSScrollView", "_contentView", "its list of subviews"),
    TWICE("NSTabView", "_selected", "its list of items"),
    TWICE("NSPopUpButtonCell", "_selectedItem", "its menu"),
    TWICE("NSMenuView", "_items_link", "its menu"),
    TWICE("NSMenuView", "_titleView", "its list of subviews"),
    TWICE("NSMenuItemCell", "_titleToDisplay", "its item"),
    {"NSApplication", "_key_window", NULL, "an application does not retain its windows", true,
     false},
    {"NSApplication", "_main_window", NULL, "an application does not retain its windows", true,
     false},
    {"NSApplication", "_hidden_key", NULL, "an application does not retain its windows", true,
     false},
    {"NSApplication", "_hidden_main", NULL, "an application does not retain its windows", true,
     false},

    /* gnustep-back */
    OWNER("GSGState", "drawcontext"),
};

const struct loupe_filters loupe_gnustep_filters = {filters, sizeof(filters) / sizeof(*filters)};
