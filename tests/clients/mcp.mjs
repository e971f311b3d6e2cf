// The official client of the Model Context Protocol, and Ajv in its strict mode, against `loupe serve`.
// usage: node mcp.mjs LOUPE HEAP
import assert from "node:assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import Ajv2020 from "ajv/dist/2020.js";

const [loupe, file] = process.argv.slice(2);
const ajv = new Ajv2020.default({ strict: true, allErrors: true });
const client = new Client({ name: "loupe-test", version: "0" });
await client.connect(new StdioClientTransport({ command: loupe, args: ["serve"] }));
assert.equal(LATEST_PROTOCOL_VERSION, "2025-11-25");
assert.equal(client.getServerVersion().name, "loupe");

const { tools } = await client.listTools();
const checks = new Map(tools.map((tool) => [tool.name, [ajv.compile(tool.inputSchema), ajv.compile(tool.outputSchema)]]));

async function call(name, given) {
  const [input, output] = checks.get(name);
  assert(input(given), `${name} ${JSON.stringify(given)}: ${ajv.errorsText(input.errors)}`);
  const result = await client.callTool({ name, arguments: given });
  assert(!result.isError, JSON.stringify(result));
  assert(output(result.structuredContent), `${name}: ${ajv.errorsText(output.errors)}`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

// Every call that answers say makes sense next, from the first one on.
const asked = new Set();
const left = [["open", { file }], ["before_after", { before: file, after: file }], ["diff", { before: file, after: file }]];
while (left.length && asked.size < 80) {
  const [name, given] = left.pop();
  const key = name + JSON.stringify(given);
  if (asked.has(key)) continue;
  asked.add(key);
  const answer = await call(name, given);
  for (const step of answer.next) left.push([step.tool, step.arguments]);
}

// What does not fit is told in a result, in the words of the schema, and the session goes on.
for (const [name, given, said] of [["path", { file }, "object or class"], ["heap", { file, sort: "age" }, "sort"],
  ["heap", {}, "file"], ["find", { file, class: 3 }, "class"], ["open", { file: "/nowhere" }, "nowhere"]]) {
  const result = await client.callTool({ name, arguments: given });
  assert(result.isError, name);
  assert.match(result.content[0].text, new RegExp(said));
}
await assert.rejects(client.callTool({ name: "rm", arguments: {} }));
await client.close();
console.log(`${tools.length} tools, ${asked.size} calls`);
