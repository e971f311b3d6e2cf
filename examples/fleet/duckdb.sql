-- The same ten questions on files, for DuckDB: rows are read where they are, with no table and no loading.
CREATE OR REPLACE VIEW loupe_rows AS SELECT * FROM read_json('{files}', format = 'newline_delimited', union_by_name = true,
    columns = {schema: 'UTINYINT', row: 'VARCHAR', heap: 'VARCHAR', input: 'UINTEGER', time: 'TIMESTAMP', app: 'VARCHAR',
    version: 'VARCHAR', build: 'VARCHAR', loupe: 'VARCHAR', format: 'VARCHAR', runtime: 'VARCHAR', objects: 'UBIGINT',
    "references": 'UBIGINT', bytes: 'UBIGINT', reachable_bytes: 'UBIGINT', status: 'VARCHAR', kind: 'VARCHAR', degree: 'VARCHAR',
    fingerprint: 'VARCHAR', class: 'VARCHAR', culprit: 'VARCHAR', count: 'UBIGINT', path: 'VARCHAR', advice: 'VARCHAR',
    retained: 'UBIGINT', name: 'VARCHAR', top: 'VARCHAR', code: 'VARCHAR', message: 'VARCHAR'});

-- top_leaks_by_build
SELECT fingerprint, any_value(kind) AS kind, any_value(class) AS class, any_value(culprit) AS culprit, count(DISTINCT heap) AS heaps, sum(bytes) AS bytes, any_value(advice) AS advice
FROM loupe_rows WHERE row = 'finding' AND build = '{build}' GROUP BY fingerprint ORDER BY heaps DESC, bytes DESC LIMIT 20;

-- first_seen
SELECT min(time) AS first, arg_min(build, time) AS build, count(DISTINCT heap) AS heaps
FROM loupe_rows WHERE row = 'finding' AND fingerprint = '{fingerprint}';

-- new_between_builds
SELECT fingerprint, any_value(class) AS class, any_value(culprit) AS culprit, any_value(path) AS path, count(DISTINCT heap) AS heaps
FROM loupe_rows WHERE row = 'finding' AND build = '{new}' AND fingerprint NOT IN
(SELECT fingerprint FROM loupe_rows WHERE row = 'finding' AND build = '{base}' AND fingerprint IS NOT NULL)
GROUP BY fingerprint ORDER BY heaps DESC;

-- fixed_by_build
SELECT fingerprint, any_value(class) AS class, count(DISTINCT heap) AS heaps
FROM loupe_rows WHERE row = 'finding' AND build = '{base}' AND fingerprint NOT IN
(SELECT fingerprint FROM loupe_rows WHERE row = 'finding' AND build = '{new}' AND fingerprint IS NOT NULL)
GROUP BY fingerprint ORDER BY heaps DESC;

-- share_by_build
SELECT build, count(DISTINCT heap) FILTER (row = 'finding' AND fingerprint = '{fingerprint}') AS having_it,
count(DISTINCT heap) FILTER (row = 'heap') AS heaps, having_it / heaps AS share FROM loupe_rows GROUP BY build HAVING heaps > 0 ORDER BY build;

-- class_growth
SELECT class, median(bytes) FILTER (build = '{base}') AS before, median(bytes) FILTER (build = '{new}') AS after, after - before AS grown
FROM loupe_rows WHERE row = 'class' AND build IN ('{base}', '{new}') GROUP BY class ORDER BY grown DESC NULLS LAST LIMIT 20;

-- retained_p95
SELECT fingerprint, any_value(class) AS class, quantile_cont(bytes, 0.5) AS median, quantile_cont(bytes, 0.95) AS p95
FROM loupe_rows WHERE row = 'finding' GROUP BY fingerprint ORDER BY p95 DESC LIMIT 20;

-- heap_sizes
SELECT build, count(*) AS heaps, quantile_cont(bytes, 0.5) AS median, quantile_cont(bytes, 0.95) AS p95, max(bytes) AS largest
FROM loupe_rows WHERE row = 'heap' GROUP BY build ORDER BY build;

-- unreadable
SELECT code, message, count(*) AS files FROM loupe_rows WHERE row = 'error' GROUP BY code, message ORDER BY files DESC;

-- by_day
SELECT CAST(time AS DATE) AS day, count(DISTINCT fingerprint) AS kinds, count(DISTINCT heap) AS heaps, count(*) AS findings
FROM loupe_rows WHERE row = 'finding' GROUP BY day ORDER BY day;
