/* Questions of `loupe sql` that are shipped: `loupe sql FILE --list` shows them. */
#include "sql/sql.h"

#include <stddef.h>

const struct sql_query sql_queries[] = {
    {"classes", "instances and bytes by class",
     "select name as class, instances, bytes from classes where instances > 0 order by bytes desc"},
    {"packages", "instances and bytes by package",
     "select package, sum(instances) as instances, sum(bytes) as bytes from classes "
     "where instances > 0 group by package order by bytes desc"},
    {"superclasses", "instances and bytes by the direct superclass",
     "select superclass, count(*) as classes, sum(instances) as instances, sum(bytes) as bytes "
     "from classes where instances > 0 group by superclass order by bytes desc"},
    {"loaders", "classes, instances and bytes by class loader",
     "select loader, count(*) as classes, sum(instances) as instances, sum(bytes) as bytes "
     "from classes where kind = 'objects' group by loader order by bytes desc"},
    {"biggest", "objects that alone keep most alive",
     "select address, class, size, retained from objects where reachable "
     "order by retained desc limit 50"},
    {"largest-arrays", "arrays that take most bytes",
     "select o.address, o.class, o.size from objects o join classes c on c.name = o.class "
     "where c.kind like 'arrays%' order by o.size desc limit 50"},
    {"garbage", "unreachable objects by class",
     "select class, count(*) as instances, sum(size) as bytes from objects where not reachable "
     "group by class order by bytes desc"},
    {"duplicate-strings", "texts of several strings, and the bytes of all but one of each",
     "select text, count(*) as strings, sum(bytes) - max(bytes) as wasted from strings "
     "group by text having count(*) > 1 order by wasted desc"},
    {"duplicate-arrays", "arrays of numbers with equal contents, and the bytes of all but one",
     "select o.class, count(*) as arrays, sum(o.size) - max(o.size) as wasted, "
     "min(text(o.object)) as contents from objects o join classes c on c.name = o.class "
     "where c.kind = 'arrays of values' group by o.class, digest(o.object) "
     "having count(*) > 1 order by wasted desc"},
    {"longest-strings", "strings that take most bytes",
     "select address(object) as address, bytes, substr(text, 1, 60) as text from strings "
     "order by bytes desc limit 50"},
    {"zero-arrays", "arrays of numbers that are all zero",
     "select o.class, count(*) as arrays, sum(o.size) as bytes from objects o "
     "join classes c on c.name = o.class "
     "where c.kind = 'arrays of values' and is_zero(o.object) group by o.class order by bytes "
     "desc"},
    {"empty-collections", "collections without items, by class",
     "select class, count(*) as collections, sum(retained(object)) as bytes from collections "
     "where items = 0 group by class order by bytes desc"},
    {"half-empty-collections",
     "collections whose array is less than half full, and its unused bytes",
     "select class, count(*) as collections, sum(capacity - items) as unused_places from "
     "collections "
     "where capacity > 0 and items > 0 and items * 2 < capacity "
     "group by class order by unused_places desc"},
    {"fill-ratio", "how full the arrays of collections are, by class",
     "select class, count(*) as collections, round(100.0 * sum(items) / sum(capacity)) as percent "
     "from collections where capacity > 0 group by class order by sum(capacity - items) desc"},
    {"large-collections", "collections with most items",
     "select address, class, items, retained(object) as retained from collections "
     "order by items desc limit 50"},
    {"boxed", "boxed numbers by class and value, and the bytes of all but one of each",
     "select class, text(object) as value, count(*) as instances, sum(size) - max(size) as wasted "
     "from objects where class in ('java.lang.Integer', 'java.lang.Long', 'java.lang.Double', "
     "'java.lang.Boolean', 'java.lang.Character', 'java.lang.Short', 'java.lang.Byte', "
     "'java.lang.Float', 'NSIntNumber', 'NSDoubleNumber') "
     "group by class, value having count(*) > 1 order by wasted desc"},
    {"finalizers", "objects that wait for their finalizer, by class",
     "select class(target) as class, count(*) as instances, sum(retained(target)) as bytes from "
     "refs "
     "where kind = 'final' group by 1 order by bytes desc"},
    {"soft-references", "what soft references point to, by class",
     "select class(target) as class, count(*) as instances, sum(retained(target)) as bytes from "
     "refs "
     "where kind = 'soft' group by 1 order by bytes desc"},
    {"weak-references", "what weak references point to, by class",
     "select class(target) as class, count(*) as instances from refs where kind = 'weak' "
     "group by 1 order by instances desc"},
    {"roots", "roots by kind, and what they keep alive",
     "select kind, count(*) as roots, sum(retained(object)) as retained from roots "
     "group by kind order by retained desc"},
    {"threads", "threads and what their objects keep alive",
     "select name, frames, retained(object) as retained from threads order by retained desc"},
    {NULL, NULL, NULL},
};
