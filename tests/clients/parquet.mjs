// Parquet files of `loupe report`, read by two programs that nobody here wrote.
// usage: node parquet.mjs FOLDER; prints {"duckdb": {"heap": [row, ...], ...}, "hyparquet": {...}}
import fs from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { parquetReadObjects } from "hyparquet";

const [folder] = process.argv.slice(2);
const plain = (key, value) =>
  typeof value === "bigint" ? value.toString() : value instanceof Date ? value.toISOString() : value;
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const found = { duckdb: {}, hyparquet: {} };
for (const kind of ["heap", "finding", "class", "thread", "error"]) {
  const path = `${folder}/${kind}.parquet`;
  found.duckdb[kind] = await (await connection.runAndReadAll(`SELECT * FROM '${path}'`)).getRowObjectsJson();
  const bytes = fs.readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  found.hyparquet[kind] = await parquetReadObjects({ file });
}
console.log(JSON.stringify(found, plain));
