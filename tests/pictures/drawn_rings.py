"""A ring, or a path from a root, for each pattern, as answers have them: the smallest program that
makes the mistake, drawn. Classes are those of Apple's and GNUstep's libraries.

A line is CLASS KIND PATH for each reference of a ring, in order; `block` and `byref` are things
without a class, and the best fix is about the reference that has a ! after its path. The last
reference of a ring leads back to its first object; a path ends in the class that stands alone.
"""
from typing import Any, Dict, List, Tuple

Json = Dict[str, Any]

RINGS: List[Tuple[str, str]] = [
    ("timer-target", "Clock ivar _timer, __NSCFTimer target target"),
    ("timer-target", "Clock ivar _timer, NSTimer target _target"),
    ("timer-block", "Clock ivar _timer, __NSCFTimer target block, block capture self"),
    ("timer-user-info", "Clock ivar _timer, NSTimer user-info userInfo"),
    ("display-link", "Game ivar _link, CADisplayLink target target"),
    ("dispatch-source-handler",
     "Poller ivar _source, OS_dispatch_source target event_handler, block capture self"),
    ("dispatch-block-kept", "Poller ivar _queue, OS_dispatch_queue_serial element [0], block capture self"),
    ("operation-completion",
     "Loader ivar _operation, NSOperation ivar _completionBlock, block capture self"),
    ("operation-block",
     "NSBlockOperation ivar executionBlocks, __NSArrayM element [0], block capture work"),
    ("operation-dependency",
     "NSOperation ivar _dependencies, NSOperation ivar _dependencies"),
    ("url-session-delegate", "Client ivar _session, __NSURLSessionLocal ivar _delegate"),
    ("url-task-handler",
     "Client ivar _task, __NSCFLocalDataTask ivar _completion, block capture self"),
    ("web-view-message-handler",
     "Browser ivar _web, WKWebView ivar _configuration, WKWebViewConfiguration ivar _controller, "
     "WKUserContentController value [\"app\"]"),
    ("undo-manager", "Document ivar _undo, NSUndoManager ivar _undoStack, NSInvocation target target"),
    ("animation-delegate", "Spinner ivar _layer, CALayer ivar _spin, CABasicAnimation ivar _delegate"),
    ("notification-token", "Screen ivar _token, __NSObserver ivar block, block capture self"),
    ("notification-token", "Screen ivar _token, GSNotificationObserver ivar _block, block capture self"),
    ("kvo-observer", "Screen ivar _seen, FBKVOController ivar _block, block capture self"),
    ("nested-strong-self", "Screen ivar _handler, block capture strongSelf"),
    ("recursive-block", "block capture step, byref byref step"),
    ("block-variable", "Screen ivar _handler, block capture blockSelf, byref byref blockSelf"),
    ("handlers-in-collection",
     "Bus ivar _handlers, __NSArrayM element [0], block capture self"),
    ("alert-action", "UIAlertController ivar _actions, __NSArrayM element [0], "
                     "UIAlertAction ivar _handler, block capture alert"),
    ("xpc-handler", "Agent ivar _link, NSXPCConnection ivar _interruptionHandler, block capture self"),
    ("url-connection-delegate", "Client ivar _link, NSURLConnection ivar _delegate"),
    ("invocation-target", "Later ivar _what, NSInvocation target target"),
    ("thread-target", "Worker ivar _thread, NSThread target _target"),
    ("control-target", "Map ivar _tap, UITapGestureRecognizer element [0]"),
    ("proxy-target", "Clock ivar _proxy, WeakProxy ivar _target"),
    ("layer-delegate", "Chart ivar _plot, CAShapeLayer ivar _delegate"),
    ("data-source", "Album ivar _grid, Grid ivar _dataSource"),
    ("delegate", "Album ivar _grid, Grid ivar _delegate"),
    ("cell-of-table", "Album ivar _table, Table ivar _cell, PhotoCell ivar _tableView"),
    ("view-controller-of-view", "PhotoScreen ivar _view, PhotoView ivar _screen"),
    ("coordinator", "AppCoordinator ivar _child, LoginCoordinator ivar _parent"),
    ("view-model", "AlbumScreen ivar _presenter, AlbumPresenter ivar _view"),
    ("linked-list-back", "Node ivar _next, Node ivar _previous"),
    ("child-of-parent", "Tree ivar _children, __NSArrayM element [0], Tree ivar _parent"),
    ("associated-back-reference", "View association [kHelper], Helper ivar _view"),
    ("map-table", "Player ivar _players, NSConcreteMapTable value [*]"),
    ("completion-handler", "Loader ivar _completion, block capture self"),
    ("block-stored-by-self", "Loader ivar _retry, block capture self"),
    ("values-of-dictionary", "Feed ivar _articles, __NSDictionaryM value [\"a\"], Article ivar _feed"),
    ("observers-in-collection", "Desk ivar _wire, Wire ivar _observers, __NSArrayM element [0]!"),
    ("items-of-collection", "List ivar _items, __NSArrayM element [3], Item ivar _list"),
    ("dictionary-leads-back",
     "Feed ivar _articles, __NSDictionaryM value [\"a\"], Article ivar _menu, Menu ivar _feed!"),
    ("collection-leads-back",
     "List ivar _items, __NSArrayM element [3], Item ivar _menu, Menu ivar _list!"),
    ("items-of-collection",
     "List ivar _items, __NSArrayM element [3]!, Item ivar _menu, Menu ivar _list"),
    ("outer-instance", "com.example.Screen field task, com.example.Screen$Task field this$0"),
]

PATHS: List[Tuple[str, str]] = [
    ("outer-instance", "Looper field mTask, Screen$Task field this$0, Screen"),
    ("undo-never-cleared", "Document ivar _undo, NSUndoManager ivar _undoStack, NSInvocation"),
    ("observers-never-removed", "NSNotificationCenter ivar _table, Screen"),
    ("observers-never-removed", "Model field mListeners, java.util.ArrayList"),
    ("cache-never-shrinks", "Loader ivar _imageCache, __NSDictionaryM value [\"a\"], Image"),
    ("queue-never-drained", "Loader ivar _history, __NSArrayM element [0], Event"),
    ("pool-never-drained", "NSAutoreleasePool element [0], Request"),
    ("thread-local-never-removed", "java.lang.ThreadLocal$ThreadLocalMap field table, Entry"),
    ("singleton-collects", "Registry static shared, Registry ivar _screens, NSArray"),
]

# What looks like a mistake of the list and is none of it.
OTHERS: List[str] = [
    "A ivar _b, B ivar _a",
    "Screen ivar _next, Screen ivar _first",
    "block capture other, block capture self",
    "Album ivar _grid!, Grid ivar _delegate",  # something else is what to change
]


def _steps(text: str) -> List[List[str]]:
    return [step.strip().split(" ") for step in text.split(",")]


def _thing(name: str) -> Json:
    kind = name if name in ("block", "byref") else "object"
    shown = {"block": "__NSMallocBlock__", "byref": "__block variable"}.get(name, name)
    return {"class": shown, "kind": kind, "size": 32, "retain_count": 1}


def _edges(steps: List[List[str]], closes: bool) -> Tuple[Json, List[Json]]:
    addresses = [hex(0x1000 * (i + 1)) for i in range(len(steps))]
    objects = {address: _thing(step[0]) for address, step in zip(addresses, steps)}
    count = len(steps) if closes else len(steps) - 1
    edges = [{"from": addresses[i], "to": addresses[(i + 1) % len(steps)], "kind": steps[i][1],
              "name": None, "path": " ".join(steps[i][2:]).rstrip("!"), "offset": 8, "slot": None,
              "ownership": "strong"} for i in range(count)]
    return objects, edges


def ring_answer(text: str) -> Json:
    """The answer of retain-cycles to a program that has this ring."""
    steps = _steps(text)
    objects, edges = _edges(steps, True)
    fixes = [{"edge": edge, "do": "make-weak", "breaks": "knot", "frees": True, "against": [],
              "subjects": [{"edge": edge, "do": "make-weak"}], "with": []}
             for edge, step in zip(edges, steps) if step[-1].endswith("!")]
    knot = {"fingerprint": "0123456789abcdef", "objects": len(edges), "edges": len(edges),
            "contains_seed": True, "certain": True, "verdict": "leaked", "fixes": fixes,
            "rings": [{"fingerprint": "fedcba9876543210", "length": len(edges), "edges": edges}]}
    return {"loupe": 1, "query": "retain-cycles", "engine": "drawn", "status": "ok", "abi": "apple",
            "pointer_size": 8, "seed": "0x1000", "objects": objects, "knots": [knot]}


def path_answer(text: str) -> Json:
    """The answer of path about the last object."""
    objects, edges = _edges(_steps(text), False)
    path = {"root": {"kind": "global"}, "length": len(edges), "fingerprint": "00",
            "objects": [{"address": address, **thing} for address, thing in objects.items()],
            "edges": edges}
    return {"loupe": 1, "query": "path", "engine": "memory", "status": "ok", "abi": None,
            "pointer_size": 8, "found": 1, "unreachable": 0, "paths": [path]}
