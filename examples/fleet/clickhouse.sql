-- Tables for the rows of `loupe report`, in ClickHouse from 18.16 on. Each takes the rows of its kind:
--   loupe report dumps/* | clickhouse-client --input_format_skip_unknown_fields=1 \
--       --query 'INSERT INTO loupe_rows FORMAT JSONEachRow'
-- What rows of another kind do not have is NULL, empty or 0.
CREATE TABLE IF NOT EXISTS loupe_rows (
    schema UInt8,
    row String,
    heap Nullable(String),
    input UInt32,
    time Nullable(String),
    app Nullable(String),
    version Nullable(String),
    build Nullable(String),
    loupe String,
    format String,
    runtime Nullable(String),
    objects Nullable(UInt64),
    references Nullable(UInt64),
    bytes Nullable(UInt64),
    reachable_bytes Nullable(UInt64),
    status String,
    kind String,
    degree Nullable(String),
    fingerprint Nullable(String),
    class Nullable(String),
    culprit Nullable(String),
    count Nullable(UInt64),
    path Nullable(String),
    advice Nullable(String),
    retained Nullable(UInt64),
    name Nullable(String),
    top Nullable(String),
    code String,
    message Nullable(String),
    day Date MATERIALIZED toDate(substring(ifNull(time, '1970-01-01'), 1, 10))
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (row, day, input);
