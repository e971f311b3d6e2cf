// The ten questions of examples/fleet/duckdb.sql, by DuckDB on rows as they are.
// usage: node fleet.mjs QUERIES ROWS; prints {"question": [row, ...], ...}
import fs from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const [queries, files] = process.argv.slice(2);
const given = { files, build: "4", base: "3", new: "4", fingerprint: "1eaf000000000000" };
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const answers = {};
for (const part of fs.readFileSync(queries, "utf8").split(/;\s*$/m)) {
  const name = part.match(/-- (\w+)/)?.[1];
  const text = part.replace(/--.*$/gm, "").replace(/\{(\w+)\}/g, (whole, key) => given[key] ?? whole).trim();
  if (text) answers[name] = await (await connection.runAndReadAll(text)).getRowObjectsJson();
}
console.log(JSON.stringify(answers));
