/* Findings: rings that are drawn as rings, cuts that can be tried, paths, source lines. */

/* ---- What dies ---- */

/* What was left out of a ring leads on: one reference stands for all of it. */
function acrossGap(finding, ring) {
  if (!ring.left || !ring.arrows.length) return [];
  const end = ring.gap % ring.arrows.length, before = (end + ring.arrows.length - 1) % ring.arrows.length;
  return [{from: finding.arrows[ring.arrows[before]].from, to: finding.arrows[ring.arrows[end]].from}];
}

/* Things that go when references are cut, as retain counts would have it. */
function dying(finding, cut) {
  const drawn = new Set(finding.holders);
  finding.rings.forEach((ring) => ring.arrows.forEach((at) => drawn.add(at)));
  const members = new Set();
  finding.rings.forEach((ring) => ring.arrows.forEach((at) => members.add(finding.arrows[at].from)));
  const counts = new Map();
  const alive = [...drawn].filter((at) => !cut.has(at)).map((at) => finding.arrows[at]);
  finding.rings.forEach((ring) => alive.push(...acrossGap(finding, ring)));
  members.forEach((thing) => counts.set(thing, 0));
  alive.forEach((arrow) => counts.set(arrow.to, (counts.get(arrow.to) || 0) + 1));
  const dead = new Set(), waiting = [...members].filter((thing) => !counts.get(thing));
  while (waiting.length) {
    const thing = waiting.pop();
    if (dead.has(thing)) continue;
    dead.add(thing);
    alive.filter((arrow) => arrow.from === thing && members.has(arrow.to)).forEach((arrow) => {
      counts.set(arrow.to, counts.get(arrow.to) - 1);
      if (!counts.get(arrow.to)) waiting.push(arrow.to);
    });
  }
  return dead;
}

function deathInWords(finding, cut, change) {
  const dead = dying(finding, cut), words = [];
  const names = [...dead].slice(0, 3).map((thing) => thingName(data.things[thing]));
  if (dead.size > 3) names.push(plural(dead.size - 3, 'more object'));
  if (!cut.size) return '';
  if (dead.size) words.push('Then ' + listed(names) + (dead.size === 1 ? ' is freed.' : ' are freed.'));
  else words.push('Then nothing drawn here is freed: another reference still holds it.');
  if (change && change.kept !== undefined)
    words.push(thingInWords(data.things[change.kept]) + ' is still kept by something else.');
  else if (change && !change.enough) words.push('This alone has not been seen to be enough.');
  if (!change) words.push('Tried on what is drawn here, not among the proposals.');
  if (finding.forgotten) words.push(finding.forgotten + '.');
  if (finding.unseen) words.push(plural(finding.unseen, 'reference') + ' from memory that was not searched may remain.');
  return words.join(' ');
}

/* ---- Stations of a ring: things, and pills for what is folded ---- */

function stations(finding, ring) {
  const found = [];
  ring.pieces.forEach(([first, count, folded, isRun]) => {
    const arrow = finding.arrows[ring.arrows[first]];
    if (!folded) found.push({thing: arrow.from, arrow: ring.arrows[first]});
    else found.push({folded, isRun, first, count, arrow: null,
                     what: isRun ? thingName(data.things[arrow.from]) : ''});
  });
  return found;
}

const ruler = document.createElement('canvas').getContext('2d');

/* The text, or as much of its beginning as fits. */
function fitted(text, width, size) {
  const whole = shown(text).slice(0, 400);
  ruler.font = '600 ' + size + 'px ' + getComputedStyle(document.body).fontFamily;
  if (ruler.measureText(whole).width <= width) return whole;
  let fits = 1, fails = whole.length;
  while (fits + 1 < fails) {
    const middle = (fits + fails) >> 1;
    if (ruler.measureText(whole.slice(0, middle) + '…').width <= width) fits = middle;
    else fails = middle;
  }
  return whole.slice(0, fits) + '…';
}

const BOX = {height: 44, wide: 190};

function stationBox(context, station, x, y, width) {
  const {finding, figure} = context;
  const height = BOX.height, left = x - width / 2, top = y - height / 2;
  if (station.folded) {
    const text = '… ' + plural(station.folded, 'more ' + (station.isRun ? 'step' : 'reference'));
    return draw('g', {class: 'thing fold', role: 'button', tabindex: '0', 'aria-label': text +
        (station.what ? ' of ' + shown(station.what) : '') + ': unfold', ...pressing(() => context.unfold())},
      draw('rect', {x: left, y: top, width, height, rx: 20}),
      draw('text', {x, y: y - 2, 'text-anchor': 'middle'}, fitted(text, width - 10, 13)),
      draw('text', {x, y: y + 14, 'text-anchor': 'middle', class: 'small'},
           station.what ? fitted('of ' + station.what, width - 10, 11.5) : 'unfold'));
  }
  const thing = data.things[station.thing];
  const kind = thing.kind === 'block' || thing.kind === 'byref' ? ' block' : '';
  const seed = station.thing === data.seed ? ' seed' : '';
  const second = placeOf(thing) || valueOf(thing) || thing.code || thing.address;
  return draw('g', {class: 'thing' + kind + seed, tabindex: '0', role: 'img', 'data-thing': station.thing,
      'aria-label': shown(thingInFull(thing)), ...telling(figure, () => thingInFull(thing))},
    draw('title', {}, thingInFull(thing)),
    draw('rect', {x: left, y: top, width, height, rx: 8}),
    draw('text', {x, y: y - 3, 'text-anchor': 'middle', class: 'name'}, fitted(thingName(thing), width - 12, 13.5)),
    draw('text', {x, y: y + 14, 'text-anchor': 'middle', class: 'small'}, fitted(second, width - 12, 11.5)));
}

/* Listeners: what is told about something when it is pointed at or has the focus. */
function telling(figure, words) {
  const tell = () => replace(figure.detail, words());
  return {pointerenter: tell, focus: tell};
}

function pressing(act) {
  return {click: act, keydown: (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    act();
  }};
}

/* ---- Lines ---- */

/* Points of a quadratic curve that lie outside of the boxes at its ends. */
function curvePoints(from, control, to, boxes) {
  const inside = (p, box) => Math.abs(p.x - box.x) < box.width / 2 + 3 && Math.abs(p.y - box.y) < BOX.height / 2 + 3;
  const points = [];
  for (let i = 0; i <= 80; i++) {
    const t = i / 80, s = 1 - t;
    const p = {x: s * s * from.x + 2 * s * t * control.x + t * t * to.x,
               y: s * s * from.y + 2 * s * t * control.y + t * t * to.y};
    if (!boxes.some((box) => inside(p, box))) points.push(p);
  }
  return points.length > 1 ? points : [from, to];
}

function lineOf(points) {
  return 'M' + points.map((p) => p.x.toFixed(1) + ' ' + p.y.toFixed(1)).join('L');
}

function headOf(points) {
  const tip = points[points.length - 1], before = points[Math.max(0, points.length - 5)];
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
  const wing = (turn) => (tip.x - 11 * Math.cos(angle + turn)).toFixed(1) + ' ' + (tip.y - 11 * Math.sin(angle + turn)).toFixed(1);
  return 'M' + tip.x.toFixed(1) + ' ' + tip.y.toFixed(1) + 'L' + wing(0.42) + 'L' + wing(-0.42) + 'Z';
}

/* A named arrow. at: {x, y, anchor} of its name; number: of an arrow of the finding, or null. */
function arrowShape(context, number, points, at, outside) {
  const {finding, figure} = context;
  const lines = [draw('path', {class: 'hit', d: lineOf(points)}),
                 draw('path', {class: 'line', d: lineOf(points)}),
                 draw('path', {class: 'head', d: headOf(points)})];
  if (number === null) return draw('g', {class: 'arrow outside', 'aria-hidden': 'true'}, lines);
  const arrow = finding.arrows[number];
  const name = fitted(arrowPath(arrow), at.width, 13), kind = fitted(arrowKind(arrow), at.width, 11.5);
  lines.push(draw('text', {x: at.x, y: at.y - 3, 'text-anchor': at.anchor, class: 'halo path'}, name),
             draw('text', {x: at.x, y: at.y + 12, 'text-anchor': at.anchor, class: 'halo small'}, kind));
  const proposed = context.proposed.has(number) ? ' proposed' : '';
  const assumed = arrow.owns === 'assumed' ? ' assumed' : '';
  const group = draw('g', {class: 'arrow' + proposed + assumed + (outside ? ' outside' : ''),
      'data-arrow': number, tabindex: '0', role: 'button', 'aria-pressed': 'false',
      'aria-label': shown('Cut ' + arrowInFull(arrow)), ...pressing(() => context.toggle(number)),
      ...telling(figure, () => arrowInFull(arrow))},
    draw('title', {}, arrowInFull(arrow)), lines);
  return group;
}

/* ---- Layouts: a ring where there is room, a loop at the left where there is not ---- */

/* Those that are drawn, and how many are not. */
function holderRow(holders, all, most) {
  const shownHolders = holders.length > most ? holders.slice(0, most - 1) : holders;
  return {shownHolders, more: all.length - shownHolders.length};
}

/* The ring from a station on, so that what is held from outside stands at the top. */
function turned(list, finding) {
  const held = finding.holders.length ? finding.arrows[finding.holders[0]].to : data.seed;
  const first = Math.max(0, list.findIndex((station) => station.thing === held));
  return [...list.slice(first), ...list.slice(0, first)];
}

function drawRound(context, list, width) {
  const boxWidth = Math.min(BOX.wide, width / 3.4), n = list.length;
  const all = context.finding.holders, {shownHolders, more} = holderRow(all, all, 4);
  const top = shownHolders.length ? 96 : 12;
  const ry = Math.max(78, n * 30), rx = Math.min(width / 2 - boxWidth / 2 - 8, Math.max(180, n * 46));
  const cx = width / 2, cy = top + ry + BOX.height / 2 + 6;
  const place = (i) => {
    const angle = -Math.PI / 2 + 2 * Math.PI * i / n;
    return {x: cx + rx * Math.cos(angle), y: cy + ry * Math.sin(angle), width: boxWidth, angle};
  };
  const places = list.map((_, i) => place(i));
  const shapes = [];
  list.forEach((station, i) => {
    const from = places[i], to = places[(i + 1) % n];
    const angle = from.angle + Math.PI / n;
    const middle = n === 1 ? {x: cx, y: cy + ry} : {x: cx + rx * Math.cos(angle), y: cy + ry * Math.sin(angle)};
    const control = {x: 2 * middle.x - (from.x + to.x) / 2, y: 2 * middle.y - (from.y + to.y) / 2};
    const points = n === 1 ? loopPoints(from) : curvePoints(from, control, to, [from, to]);
    const half = Math.min(width / 4, 150);
    const at = {x: Math.min(width - half * 0.5, Math.max(half * 0.5, middle.x)), y: middle.y,
                anchor: 'middle', width: half};
    if (n === 1) at.y = from.y + BOX.height / 2 + 62;
    shapes.push(arrowShape(context, station.arrow, points, at, false));
  });
  shownHolders.forEach((number, i) => shapes.push(...holderShapes(context, number, list, places,
    {x: width * (i + 1) / (shownHolders.length + 1), width: Math.min(boxWidth, width / (shownHolders.length + 1) - 10)})));
  list.forEach((station, i) => shapes.push(stationBox(context, station, places[i].x, places[i].y, boxWidth)));
  if (more) shapes.push(draw('text', {x: width - 6, y: 88, 'text-anchor': 'end', class: 'small'},
    '… held by ' + plural(more, 'more reference')));
  return {shapes, height: (n === 1 ? top + 170 : cy + ry + BOX.height / 2 + 12)};
}

function loopPoints(box) {
  const points = [];
  for (let i = 0; i <= 40; i++) {
    const angle = Math.PI * (0.78 - 1.56 * i / 40) + Math.PI / 2;
    points.push({x: box.x + 46 * Math.cos(angle), y: box.y + BOX.height / 2 + 24 + 30 * Math.sin(angle)});
  }
  return points;
}

function holderShapes(context, number, list, places, box) {
  const arrow = context.finding.arrows[number];
  const there = list.findIndex((station) => station.thing === arrow.to);
  const target = there < 0 ? list.findIndex((station) => station.folded) : there;
  const from = {x: box.x, y: 26, width: box.width};
  if (target < 0) return [stationBox(context, {thing: arrow.from}, from.x, from.y, from.width)];
  const to = places[target];
  const points = curvePoints(from, {x: (from.x + to.x) / 2, y: (from.y + to.y) / 2}, to, [from, to]);
  const at = {x: points[0].x + 8, y: points[0].y + 18, anchor: 'start', width: box.width};
  return [arrowShape(context, number, points, at, true),
          stationBox(context, {thing: arrow.from}, from.x, from.y, from.width)];
}

function drawNarrow(context, list, width) {
  const gutter = 26, boxWidth = width - gutter - 4, step = BOX.height + 52;
  const all = context.finding.holders;
  const ofFirst = all.filter((number) => context.finding.arrows[number].to === list[0].thing);
  const {shownHolders, more} = holderRow(ofFirst, all, 2);
  const top = shownHolders.length * step + BOX.height / 2 + 4;
  const places = list.map((_, i) => ({x: gutter + boxWidth / 2, y: top + i * step, width: boxWidth}));
  const shapes = [];
  const down = (from, to) => [{x: from.x, y: from.y + BOX.height / 2 + 3}, {x: from.x, y: from.y + 30}, {x: from.x, y: to.y - BOX.height / 2 - 3}];
  shownHolders.forEach((number, i) => {
    const box = {x: gutter + boxWidth / 2, y: BOX.height / 2 + 4 + i * step};
    const next = {y: box.y + step};
    shapes.push(arrowShape(context, number, down(box, next), {x: box.x + 12, y: box.y + step / 2, anchor: 'start', width: boxWidth / 2 - 14}, true),
                stationBox(context, {thing: context.finding.arrows[number].from}, box.x, box.y, boxWidth * 0.8));
  });
  list.forEach((station, i) => {
    const from = places[i];
    if (i + 1 < list.length) {
      shapes.push(arrowShape(context, station.arrow, down(from, places[i + 1]),
        {x: from.x + 12, y: from.y + step / 2, anchor: 'start', width: boxWidth / 2 - 14}, false));
      return;
    }
    const first = places[0], low = from.y + BOX.height / 2 + 26;
    const points = [{x: from.x, y: from.y + BOX.height / 2 + 3}, {x: from.x, y: low}, {x: 9, y: low},
                    {x: 9, y: first.y}, {x: 12, y: first.y}, {x: 15, y: first.y}, {x: 18, y: first.y}, {x: 21, y: first.y}, {x: gutter - 2, y: first.y}];
    shapes.push(arrowShape(context, station.arrow, points, {x: from.x + 12, y: low + 2, anchor: 'start', width: boxWidth / 2 - 14}, false));
  });
  list.forEach((station, i) => shapes.push(stationBox(context, station, places[i].x, places[i].y, boxWidth)));
  if (more) shapes.push(draw('text', {x: width - 4, y: top - BOX.height / 2 - 8, 'text-anchor': 'end', class: 'small'},
    '… held by ' + plural(more, 'more reference')));
  return {shapes, height: places[places.length - 1].y + BOX.height / 2 + 48};
}
