-- Ten questions to a fleet, for ClickHouse; {name} stands for a text. Each is one statement.

-- top_leaks_by_build: what most heaps of a build have
SELECT fingerprint, any(kind) AS kind, any(class) AS class, any(culprit) AS culprit, uniq(heap) AS heaps, sum(bytes) AS bytes, any(advice) AS advice
FROM loupe_rows WHERE row = 'finding' AND build = '{build}' GROUP BY fingerprint ORDER BY heaps DESC, bytes DESC LIMIT 20;

-- first_seen: since when there is a finding
SELECT min(time) AS first, argMin(build, time) AS build, uniq(heap) AS heaps
FROM loupe_rows WHERE row = 'finding' AND fingerprint = '{fingerprint}';

-- new_between_builds: regressions, in the newer build and not in the older one
SELECT fingerprint, any(class) AS class, any(culprit) AS culprit, any(path) AS path, uniq(heap) AS heaps
FROM loupe_rows WHERE row = 'finding' AND build = '{new}' AND fingerprint NOT IN
(SELECT fingerprint FROM loupe_rows WHERE row = 'finding' AND build = '{base}')
GROUP BY fingerprint ORDER BY heaps DESC;

-- fixed_by_build: what a release fixed
SELECT fingerprint, any(class) AS class, uniq(heap) AS heaps
FROM loupe_rows WHERE row = 'finding' AND build = '{base}' AND fingerprint NOT IN
(SELECT fingerprint FROM loupe_rows WHERE row = 'finding' AND build = '{new}')
GROUP BY fingerprint ORDER BY heaps DESC;

-- share_by_build: which share of the heaps of each build has a finding
SELECT build, uniqIf(heap, row = 'finding' AND fingerprint = '{fingerprint}') AS having, uniqIf(heap, row = 'heap') AS heaps, having / heaps AS share
FROM loupe_rows GROUP BY build HAVING heaps > 0 ORDER BY build;

-- class_growth: classes whose bytes in a heap grew most between two builds, by their medians
SELECT class, medianIf(bytes, build = '{base}') AS before, medianIf(bytes, build = '{new}') AS after, after - before AS grown
FROM loupe_rows WHERE row = 'class' AND build IN ('{base}', '{new}') GROUP BY class ORDER BY grown DESC LIMIT 20;

-- retained_p95: what findings keep, in 95 of 100 heaps at most
SELECT fingerprint, any(class) AS class, quantile(0.5)(bytes) AS median, quantile(0.95)(bytes) AS p95
FROM loupe_rows WHERE row = 'finding' GROUP BY fingerprint ORDER BY p95 DESC LIMIT 20;

-- heap_sizes: how large heaps are, by build
SELECT build, count() AS heaps, quantile(0.5)(bytes) AS median, quantile(0.95)(bytes) AS p95, max(bytes) AS largest
FROM loupe_rows WHERE row = 'heap' GROUP BY build ORDER BY build;

-- unreadable: files that could not be read, and why
SELECT code, message, count() AS files FROM loupe_rows WHERE row = 'error' GROUP BY code, message ORDER BY files DESC;

-- by_day: findings a day
SELECT day, uniq(fingerprint) AS kinds, uniq(heap) AS heaps, count() AS findings
FROM loupe_rows WHERE row = 'finding' GROUP BY day ORDER BY day;
