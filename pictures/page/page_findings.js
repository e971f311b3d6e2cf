/* A section for each finding, with its figure, changes, pattern, source. */

function findingTitle(finding) {
  const size = finding.objects || 0;
  let what;
  if (finding.kind === 'leak') what = 'Leak of ' + things(size || 1, finding.others);
  else if (finding.kind === 'suspect') what = 'Should be gone but is held';
  else if (finding.kind === 'owner') return ownerTitle(finding);
  else if (finding.kind === 'path') what = 'Path from a root';
  else if (size === 1) what = data.texts.retains_itself;
  else if (finding.rings.length && finding.rings[0].length === size && finding.edges === size) what = 'Retain cycle of ' + plural(size, 'object');
  else what = 'Retain cycle of ' + plural(size, 'object') + (finding.edges ? ' and ' + plural(finding.edges, 'reference') : '');
  if (finding.head !== undefined) what += ': ' + thingName(data.things[finding.head]);
  if (finding.kind === 'knot' && !finding.certain) what = 'Possible: ' + what[0].toLowerCase() + what.slice(1);
  return what;
}

/* Registry.sessions keeps 1.1 MB, 99 % of what is alive: 114 × demo.Session */
function ownerTitle(finding) {
  const who = finding.culprit || thingName(data.things[finding.head]);
  const held = finding.held ? ': ' + (finding.count > 1 ? counted(finding.count) + ' × ' : '') + finding.held : '';
  return who + ' keeps ' + bytes(finding.bytes) + ', ' + finding.percent + ' % of what is alive' + held;
}

function badge(finding) {
  if (!finding.verdict) return null;
  const leaked = finding.degree ? finding.degree !== 'timer' : finding.verdict === 'leaked';
  const says = finding.verdict === 'unknown' || finding.verdict === 'leaked';
  const reason = says && finding.reason ? ': ' + finding.reason : '';
  return make('p', {}, make('span', {class: 'badge ' + (leaked ? 'leaked' : '')}, finding.state + reason),
    finding.count > 1 ? ' ' + counted(finding.count) + ' equal ones' : '',
    finding.bytes ? ' ' + bytes(finding.bytes) : '');
}

function patternPart(finding) {
  const pattern = data.patterns[finding.pattern];
  if (!pattern) return null;
  return make('div', {class: 'pattern'}, make('h3', {}, pattern.name), make('p', {}, pattern.why),
    make('details', {}, make('summary', {}, 'Before and after'), make('div', {class: 'pair'},
      make('div', {}, 'Before', code(pattern.before)), make('div', {}, 'After', code(pattern.after)))));
}

/* Source keeps its line breaks, which are of ours or between lines of a file. */
function code(text) {
  const element = make('pre');
  element.append(...String(text || '').split('\n').map((line) => shown(line.replace(/\t/g, '    ')).replace(/^ {4}/, '') + '\n'));
  return element;
}

function sourcePart(finding) {
  const numbers = new Set();
  finding.arrows.forEach((arrow) => {
    const lines = data.things[arrow.from].lines;
    if (lines !== undefined) numbers.add(lines);
  });
  return [...numbers].slice(0, 6).map((number) => {
    const lines = data.lines[number];
    return make('div', {}, make('h3', {}, 'Source: ', make('code', {}, lines.file + ':' + lines.line)),
      make('pre', {tabindex: '0', 'aria-label': shown(lines.file + ' around line ' + lines.line)}, lines.text.map((text, i) => {
        const at = lines.first + i;
        const line = String(at).padStart(5) + '  ' + shown(text.replace(/\t/g, '    '));
        return at === lines.line ? make('mark', {}, line) : line + '\n';
      }).map((part) => part instanceof Node ? part : document.createTextNode(part))));
  });
}

/* The lines of a patch that somebody made of a change. */
function patchPart(change) {
  if (!change.diff) return null;
  const kinds = {'+': 'added', '-': 'removed', '@': 'faint'};
  return make('details', {open: true}, make('summary', {}, 'Patch'),
    make('pre', {class: 'patch', tabindex: '0', 'aria-label': 'Patch: ' + shown(change.text)}, change.diff.map((line) =>
      make('span', {class: kinds[line[0]] || 'same'}, line.replace(/\t/g, '    ')))), make('p', {class: 'faint'}, (change.diff_left ? plural(change.diff_left, 'more line') + ' had no room in this page. ' : '') + change.tried));
}

/* ---- The figure of a finding with rings ---- */

function ringFigure(finding) {
  const figure = {detail: make('p', {class: 'detail faint'}, 'Point at something, or move to it by the tab key, to see more of it.')};
  const told = make('p', {class: 'told', role: 'status'});
  const holder = make('div');
  const state = {cut: new Set(), change: null, ring: 0};
  const context = {finding, figure, proposed: new Set(), unfold, toggle};
  const best = finding.changes.some((change) => change.enough);
  const together = finding.changes.filter((change) => change.together);
  const wanted = together.length ? together : finding.changes.slice(0, 1);
  wanted.forEach((change) => change.cut.forEach((at) => context.proposed.add(at)));

  finding.changes.sort((a, b) => b.together - a.together);
  const buttons = finding.changes.slice(0, 8).map((change) => make('button', {type: 'button',
    'aria-pressed': 'false', click: () => choose(change)}, '✂ ' + change.text));
  const choices = finding.rings.map((_, i) => make('button', {type: 'button', 'aria-pressed': String(!i),
    click: () => { state.ring = i; redraw(); }}, 'Loop ' + (i + 1)));

  function choose(change) {
    state.change = state.change === change ? null : change;
    state.cut = new Set(state.change ? change.cut : []);
    show();
  }

  function toggle(number) {
    const change = finding.changes.find((one) => one.cut.includes(number));
    if (change) return choose(change);
    state.change = null;
    state.cut = new Set(state.cut.has(number) ? [] : [number]);
    return show();
  }

  function unfold() {
    list.open = true;
    list.querySelector('summary').focus();
  }

  function show() {
    const dead = state.cut.size ? dying(finding, state.cut) : new Set();
    holder.querySelectorAll('.thing').forEach((element) =>
      element.classList.toggle('dead', dead.has(Number(element.dataset.thing)) && element.dataset.thing !== undefined));
    holder.querySelectorAll('.arrow[data-arrow]').forEach((element) => {
      const number = Number(element.dataset.arrow), isCut = state.cut.has(number);
      element.classList.toggle('cut', isCut);
      element.setAttribute('aria-pressed', String(isCut));
      element.classList.toggle('dead', !isCut && dead.has(finding.arrows[number].from));
    });
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(finding.changes[i] === state.change)));
    choices.forEach((button, i) => button.setAttribute('aria-pressed', String(i === state.ring)));
    replace(told, deathInWords(finding, state.cut, state.change));
  }

  let drawnWidth = 0;
  function redraw() {
    const width = Math.max(240, Math.floor(holder.clientWidth || 640));
    const list = turned(stations(finding, finding.rings[state.ring]), finding);
    if (!list.length) return;
    const {shapes, height} = width < 560 ? drawNarrow(context, list, width) : drawRound(context, list, width);
    drawnWidth = width;
    holder.replaceChildren(draw('svg', {class: 'ring', viewBox: '0 0 ' + width + ' ' + Math.ceil(height),
      role: 'group', 'aria-label': findingTitle(finding) + ', drawn as a loop'}, shapes));
    show();
  }
  new ResizeObserver(() => {
    if (Math.floor(holder.clientWidth) !== drawnWidth) redraw();
  }).observe(holder);

  const list = make('details', {}, make('summary', {}, 'As a list: ' + plural(finding.rings.reduce((sum, ring) => sum + ring.arrows.length, 0), 'reference')),
    arrowTable(finding));
  const more = finding.changes.length - buttons.length;
  const left = finding.rings.reduce((sum, ring) => sum + (ring.left || 0), finding.holders_left || 0);
  return [
    choices.length > 1 ? make('p', {class: 'tools'}, choices) : null,
    finding.rings_left ? make('p', {class: 'faint'}, plural(finding.rings_left, 'more loop') + ' had no room in this page.') : null,
    make('figure', {}, holder, figure.detail),
    buttons.length ? make('h3', {}, together.length > 1 ? 'The first ' + together.length + ' together break it (press one to see what is freed)' : best ? data.texts.fixes + ' (press one to see what is freed)' : 'No single fix is known to be enough; these were tried') : null,
    make('ol', {class: 'changes'}, buttons.map((button, i) => make('li', {}, button, ' ', make('span', {class: 'faint'}, breaksInWords(finding.changes[i])), patchPart(finding.changes[i])))),
    more > 0 ? make('p', {class: 'faint'}, 'and ' + counted(more) + ' more') : null,
    told, shapePart(finding), list,
    left ? make('p', {class: 'faint'}, plural(left, 'more reference') + ' had no room in this page.') : null];
}

function breaksInWords(change) {
  return data.texts[change.breaks] + (change.enough ? '' : ', not enough by itself');
}

function arrowTable(finding) {
  const rows = [];
  finding.rings.forEach((ring, i) => ring.arrows.forEach((at) => rows.push({ring: i + 1, arrow: finding.arrows[at]})));
  finding.holders.forEach((at) => rows.push({ring: 'outside', arrow: finding.arrows[at]}));
  const text = (value) => ({value, cell: value});
  return table('References', [
    {title: 'From', ...text((row) => thingInWords(data.things[row.arrow.from]))},
    {title: 'Reference', ...text((row) => arrowPath(row.arrow))},
    {title: 'Kind', ...text((row) => arrowKind(row.arrow))},
    {title: 'To', ...text((row) => thingInWords(data.things[row.arrow.to]))},
    {title: 'Slot', ...text((row) => row.arrow.slot || '')},
    {title: 'Loop', ...text((row) => String(row.ring))},
  ], rows, 100).element;
}

/* What is too large to be drawn, by class: which class keeps which, how often. */
function shapePart(finding) {
  const things = new Set();
  finding.rings.forEach((ring) => ring.arrows.forEach((at) => things.add(finding.arrows[at].from)));
  if (things.size <= 24) return null;
  const sorts = new Map();
  finding.rings.forEach((ring) => ring.arrows.forEach((at) => {
    const arrow = finding.arrows[at];
    const key = JSON.stringify([thingName(data.things[arrow.from]), arrowPath(arrow).replace(/\[\d+\]/g, '[…]'), thingName(data.things[arrow.to])]);
    sorts.set(key, (sorts.get(key) || 0) + 1);
  }));
  const rows = [...sorts].map(([key, count]) => ({key: JSON.parse(key), count})).sort((a, b) => b.count - a.count);
  return make('details', {open: true}, make('summary', {}, 'By class: ' + plural(rows.length, 'sort') + ' of references'),
    table('References by class', [
      {title: 'From', value: (row) => row.key[0], cell: (row) => row.key[0]},
      {title: 'Reference', value: (row) => row.key[1], cell: (row) => row.key[1]},
      {title: 'To', value: (row) => row.key[2], cell: (row) => row.key[2]},
      {title: 'Count', number: true, value: (row) => row.count, cell: (row) => counted(row.count)},
    ], rows, 30).element);
}

/* ---- Paths ---- */

function pathPart(finding) {
  const ring = finding.rings[0];
  const items = [make('li', {class: 'faint'}, finding.root || 'a root')];
  const step = (thing, field) => make('li', {}, field, make('span', {}, thingInFull(data.things[thing])));
  if (!ring || !ring.arrows.length) {
    if (finding.head !== undefined) items.push(step(finding.head, null));
    return make('ol', {class: 'way'}, items);
  }
  items.push(step(finding.arrows[ring.arrows[0]].from, null));
  ring.pieces.forEach(([first, , folded]) => {
    const arrow = finding.arrows[ring.arrows[first]];
    if (folded) items.push(make('li', {class: 'faint'}, '… ' + plural(folded, 'more reference') + ' (the list has them)'));
    else items.push(step(arrow.to, make('span', {class: arrow.suspect ? 'suspect' : 'field'},
      '↓ ' + arrowPath(arrow) + (arrow.suspect ? ' ◀ look here' : '') + ' ')));
  });
  return [make('ol', {class: 'way'}, items),
    make('details', {}, make('summary', {}, 'As a list: ' + plural(ring.arrows.length, 'reference')), arrowTable(finding))];
}

/* number: from 0; a text for those that are not counted. */
function findingSection(finding, number) {
  const id = 'finding-' + number;
  const rings = finding.kind === 'knot' && finding.rings.some((ring) => ring.pieces.length);
  const figure = rings ? ringFigure(finding)
    : finding.kind === 'leak' ? [make('p', {}, finding.head === undefined ? '' : thingInFull(data.things[finding.head])),
      ...finding.changes.map((change) => make('div', {}, make('p', {}, data.texts.fix + change.text), patchPart(change)))]
    : pathPart(finding);
  return make('section', {'aria-labelledby': id}, make('h2', {id}, (typeof number === 'number' ? number + 1 + '. ' : '') + findingTitle(finding)),
    badge(finding), patternPart(finding), figure, sourcePart(finding),
    finding.fingerprint ? make('p', {class: 'faint'}, 'Fingerprint ', make('code', {}, finding.fingerprint)) : null);
}
