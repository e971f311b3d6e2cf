/* A whole heap: facts, classes, the map of what keeps what alive, paths to roots. */

const MEMORY = '(raw memory)';

function className(heap, number) {
  const name = number < 0 ? '' : heap.names[number] || '?';
  return name === MEMORY ? 'non-object' : name;
}

/* The tree of tiles, with children in the order of their size. */
function treeOf(heap) {
  const tiles = heap.tiles;
  const children = tiles.parent.map(() => []);
  tiles.parent.forEach((parent, i) => { if (parent >= 0) children[parent].push(i); });
  children.forEach((list) => list.sort((a, b) => tiles.retained[b] - tiles.retained[a]));
  return children;
}

function tileName(heap, tile) {
  const tiles = heap.tiles;
  if (tiles.parent[tile] < 0) return 'All that is alive';
  const name = className(heap, tiles.name[tile]);
  if (tiles.folded[tile]) return name ? counted(tiles.folded[tile]) + ' × ' + name
                                      : plural(tiles.folded[tile], heap.others ? 'allocation' : 'object') + ' of other classes';
  return (tiles.memory[tile] || name) + ' ' + tiles.address[tile];
}

function tileInFull(heap, tile) {
  const tiles = heap.tiles, words = [tileName(heap, tile)];
  if (tiles.values[tile]) words.push(tiles.values[tile]);
  words.push('retains ' + bytes(tiles.retained[tile]) + ' in ' + things(tiles.objects[tile], tiles.others[tile]));
  if (tiles.size[tile]) words.push(bytes(tiles.size[tile]) + ' of its own');
  return words.join(', ');
}

/* ---- The map ---- */

/* Rectangles with areas like the weights, as square as they can be; weights descend. */
function squarify(weights, box) {
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const scale = box.width * box.height / total, found = [];
  let {x, y, width, height} = box, at = 0;
  while (at < weights.length && width > 0.5 && height > 0.5) {
    const side = Math.min(width, height);
    let row = [], area = 0, worst = Infinity;
    while (at + row.length < weights.length) {
      const next = weights[at + row.length] * scale, sum = area + next;
      const first = row.length ? row[0] : next;
      const ratio = Math.max(side * side * first / (sum * sum), sum * sum / (side * side * Math.max(next, 1e-9)));
      if (row.length && ratio > worst) break;
      row.push(next);
      area = sum;
      worst = ratio;
    }
    const thick = Math.min(area / side, Math.max(width, height));
    let along = 0;
    row.forEach((piece) => {
      const long = thick ? piece / thick : 0;
      found.push(width >= height ? {x, y: y + along, width: thick, height: long}
                                 : {x: x + along, y, width: long, height: thick});
      along += long;
    });
    if (width >= height) { x += thick; width -= thick; } else { y += thick; height -= thick; }
    at += row.length;
  }
  return found;
}

function hueOf(text) {
  let hash = 7;
  for (const c of text) hash = (hash * 31 + c.codePointAt(0)) % 100003;
  return hash * 137 % 360;
}

/* Without packages, where there is little room. */
function shortName(text) {
  return text.replace(/(^|[ ×])(?:[a-z_]\w*\.)+(?=\S)/u, '$1');
}

const MOST_TILES_DRAWN = 500, MOST_ROWS = 9, ROW_HEIGHT = 24;

function mapPart(heap, children) {
  const tiles = heap.tiles;
  const map = make('div', {class: 'map', role: 'group', 'aria-label': 'Map of what keeps what alive. ' +
    'Arrow keys move among neighbours, Enter goes in, Escape goes out.'});
  const icicle = make('div', {class: 'icicle', role: 'group', 'aria-label': 'Owners: below each what it alone keeps alive, ' +
    'as wide as it is large. Arrow keys move among neighbours, Enter goes in, Escape goes out.'});
  const crumbs = make('ol', {class: 'crumbs'});
  const detail = make('div', {'aria-live': 'polite'});
  const state = {top: 0, chosen: 0};

  function tileButton(tile, box) {
    const button = make('button', {type: 'button', tabindex: '-1', 'data-tile': tile,
        class: tiles.folded[tile] ? 'folded' : '', 'aria-pressed': 'false',
        'aria-label': shown(tileInFull(heap, tile)), title: shown(tileInFull(heap, tile))},
      box.width > 34 && box.height > 15 ? make('span', {}, shortName(tileName(heap, tile))) : null);
    const hue = hueOf(className(heap, tiles.name[tile]));
    Object.assign(button.style, {left: box.x + 'px', top: box.y + 'px', width: Math.max(2, box.width) + 'px',
      height: Math.max(2, box.height) + 'px', background: 'hsl(' + hue + ' 55% var(--tile))'});
    return button;
  }

  /* The children of a tile inside of its rectangle, and theirs inside of them. */
  function fill(tile, box, drawn) {
    const waiting = [{tile, box}];
    while (waiting.length && drawn.length < MOST_TILES_DRAWN) {
      const next = waiting.shift();
      const list = children[next.tile];
      squarify(list.map((child) => tiles.retained[child]), next.box).forEach((rect, i) => {
        if (drawn.length >= MOST_TILES_DRAWN || rect.width < 3 || rect.height < 3) return;
        drawn.push(tileButton(list[i], rect));
        if (children[list[i]].length && rect.width > 60 && rect.height > 46)
          waiting.push({tile: list[i], box: {x: rect.x + 3, y: rect.y + 18, width: rect.width - 6, height: rect.height - 21}});
      });
    }
  }

  /* A row for each level of owners, from the top down. */
  function fillRows(width) {
    const drawn = [];
    let row = [{tile: state.top, x: 0, width}], y = 0;
    for (; row.length && y < MOST_ROWS * ROW_HEIGHT; y += ROW_HEIGHT) {
      const below = [];
      row.forEach((parent) => {
        drawn.push(tileButton(parent.tile, {x: parent.x, y, width: parent.width, height: ROW_HEIGHT}));
        const list = children[parent.tile];
        const whole = tiles.retained[parent.tile] || list.reduce((sum, child) => sum + tiles.retained[child], 0) || 1;
        let x = parent.x;
        list.forEach((child) => {
          const wide = parent.width * tiles.retained[child] / whole;
          if (wide >= 3 && drawn.length + below.length < MOST_TILES_DRAWN) below.push({tile: child, x, width: wide});
          x += wide;
        });
      });
      row = below;
    }
    icicle.style.height = y + 'px';
    icicle.replaceChildren(...drawn);
  }

  function redraw() {
    const drawn = [], width = map.clientWidth, height = map.clientHeight;
    fill(state.top, {x: 0, y: 0, width, height}, drawn);
    map.replaceChildren(...drawn);
    fillRows(icicle.clientWidth);
    if (!drawn.length) map.append(make('p', {class: 'faint'}, 'Nothing else is kept alive by it alone.'));
    const way = [];
    for (let at = state.top; at >= 0; at = tiles.parent[at]) way.unshift(at);
    crumbs.replaceChildren(...way.map((tile) => make('li', {}, make('button', {type: 'button',
      'aria-current': tile === state.top ? 'location' : null, click: () => zoom(tile)},
      fitted(tileName(heap, tile), 280, 13)))));
    choose(state.chosen, null);
  }

  function zoom(tile) {
    const before = state.top;
    state.top = children[tile].length || tiles.parent[tile] < 0 ? tile : tiles.parent[tile];
    state.chosen = state.top === before ? tile : before > state.top ? before : (children[state.top][0] ?? tile);
    redraw();
  }

  function buttonOf(tile, drawing) {
    return drawing.querySelector('[data-tile="' + tile + '"]');
  }

  /* The same object in both drawings; the focus stays in the one that it is in. */
  function choose(tile, focused) {
    const first = buttonOf(tile, map) || (tile !== state.top && buttonOf(tile, icicle)) || map.querySelector('[data-tile]');
    if (first) state.chosen = Number(first.dataset.tile);
    [icicle, map].forEach((drawing) => {
      const button = first && (buttonOf(state.chosen, drawing) || drawing.querySelector('[data-tile]'));
      drawing.querySelectorAll('[data-tile]').forEach((other) => {
        other.tabIndex = other === button ? 0 : -1;
        other.setAttribute('aria-pressed', String(Number(other.dataset.tile) === state.chosen));
      });
      if (button && focused === drawing) button.focus();
    });
    replace(detail, objectPart(heap, children, first ? state.chosen : state.top, zoom));
  }

  function onClick(event) {
    const button = event.target.closest('[data-tile]');
    if (!button) return;
    const tile = Number(button.dataset.tile);
    if (tile === state.top) { if (tiles.parent[tile] >= 0) zoom(tiles.parent[tile]); }
    else if (tile === state.chosen && children[tile].length) zoom(tile);
    else choose(tile, event.currentTarget);
  }

  function onDoubleClick(event) {
    const button = event.target.closest('[data-tile]');
    if (button && children[Number(button.dataset.tile)].length) zoom(Number(button.dataset.tile));
  }

  function onKey(event) {
    const here = event.currentTarget;
    const tile = state.chosen, parent = tiles.parent[tile];
    const siblings = parent < 0 ? [tile] : children[parent], at = siblings.indexOf(tile);
    const keys = {
      ArrowRight: () => choose(siblings[Math.min(siblings.length - 1, at + 1)], here),
      ArrowLeft: () => choose(siblings[Math.max(0, at - 1)], here),
      ArrowDown: () => { if (children[tile].length && buttonOf(children[tile][0], here)) choose(children[tile][0], here); },
      ArrowUp: () => { if (parent >= 0 && buttonOf(parent, here)) choose(parent, here); },
      Enter: () => { if (children[tile].length) { zoom(tile); choose(state.chosen, here); } },
      Escape: () => { if (tiles.parent[state.top] >= 0) { zoom(tiles.parent[state.top]); choose(state.chosen, here); } },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  [icicle, map].forEach((drawing) => {
    drawing.addEventListener('click', onClick);
    drawing.addEventListener('dblclick', onDoubleClick);
    drawing.addEventListener('keydown', onKey);
  });
  let drawnWidth = -1;
  new ResizeObserver(() => {
    if (map.clientWidth === drawnWidth) return;
    drawnWidth = map.clientWidth;
    redraw();
  }).observe(map);
  return {element: [crumbs, make('h3', {}, 'By owner'), icicle, make('h3', {}, 'As a map'), map, make('p', {class: 'faint'}, 'Press a rectangle to see what holds it, once more to go in; ' +
    'dashed ones stand for many small objects.'), detail], show(tile) {
      state.top = tiles.parent[tile] < 0 ? 0 : tiles.parent[tile];
      state.chosen = tile;
      redraw();
      detail.scrollIntoView({block: 'nearest'});
    }};
}

/* ---- One object: how large, what holds it, what it keeps ---- */

function fieldName(heap, number) {
  if (number < 0) return '[' + (-1 - number) + ']';
  return heap.fields[number] || '(a reference)';
}

function wayTo(heap, tile) {
  const steps = heap.steps, way = [];
  for (let at = heap.tiles.step[tile]; at >= 0; at = steps.before[at]) way.unshift(at);
  return way;
}

function wayPart(heap, tile) {
  if (heap.tiles.folded[tile] || heap.tiles.parent[tile] < 0) return null;
  const steps = heap.steps, way = wayTo(heap, tile);
  if (!way.length) return make('p', {class: 'faint'}, 'Its path had no room in this page: loupe path FILE ' + heap.tiles.address[tile] + ' shows it.');
  const items = [make('li', {class: 'faint'}, steps.roots[way[0]] || 'a root')];
  const line = (step, first) => make('li', {}, first ? '' : make('span', {class: 'field'}, '↓ ' + fieldName(heap, steps.field[step]) + ' '),
    (steps.memory[step] || className(heap, steps.name[step])) + ' ' + steps.address[step]);
  const ends = way.length > 40 ? 18 : way.length;
  way.forEach((step, i) => {
    if (i < ends || i >= way.length - ends) items.push(line(step, i === 0));
    else if (i === ends) items.push(make('li', {class: 'faint'}, '… ' + plural(way.length - 2 * ends, 'more object')));
  });
  return make('ol', {class: 'way'}, items);
}

function objectPart(heap, children, tile, go) {
  const tiles = heap.tiles, list = children[tile];
  return [make('h3', {}, tileName(heap, tile)), make('p', {}, tileInFull(heap, tile)),
    tiles.folded[tile] || tiles.parent[tile] < 0 ? null : questionsAbout(tiles.address[tile]),
    tiles.folded[tile] || tiles.parent[tile] < 0 ? null : make('h3', {}, 'Path from a root'), wayPart(heap, tile),
    !list.length && !tiles.folded[tile] && tiles.objects[tile] > 1 ? make('p', {class: 'faint'},
      'What it alone keeps alive had no room in this page: loupe retained FILE ' + tiles.address[tile] + ' shows it.') : null,
    list.length ? make('h3', {}, 'What it alone keeps alive') : null,
    list.length ? table('What it alone keeps alive', [
      {title: 'Object', cell: (child) => make('button', {type: 'button', class: 'link', click: () => go(child)}, tileName(heap, child)), value: (child) => tileName(heap, child)},
      {title: 'Retained', number: true, value: (child) => tiles.retained[child], cell: (child) => bytes(tiles.retained[child])},
      {title: heap.others ? 'Allocations' : 'Objects', number: true, value: (child) => tiles.objects[child], cell: (child) => counted(tiles.objects[child])},
    ], list, 20).element : null];
}

/* ---- Classes ---- */

function classesPart(heap, show) {
  const largest = heap.classes.reduce((most, row) => Math.max(most, row[3]), 1);
  const byClass = new Map();
  heap.tiles.name.forEach((name, tile) => {
    if (heap.tiles.folded[tile] || name < 0) return;
    if (!byClass.has(name)) byClass.set(name, []);
    byClass.get(name).push(tile);
  });
  byClass.forEach((list) => list.sort((a, b) => heap.tiles.retained[b] - heap.tiles.retained[a]));
  const objects = make('div', {'aria-live': 'polite'});
  const name = (row) => className(heap, row[0]);

  function list(row) {
    const found = byClass.get(row[0]) || [];
    replace(objects, make('h3', {}, 'The largest of ' + name(row)),
      found.length ? table('Objects of ' + name(row), [
        {title: 'Object', value: (tile) => tileName(heap, tile), cell: (tile) => make('button', {type: 'button', class: 'link', click: () => show(tile)}, tileName(heap, tile))},
        {title: 'Retained', number: true, value: (tile) => heap.tiles.retained[tile], cell: (tile) => bytes(heap.tiles.retained[tile])},
      ], found, 20).element : make('p', {class: 'faint'}, 'Each of them is too small for this page: loupe find FILE "' + name(row) + '" lists them.'));
    objects.scrollIntoView({block: 'nearest'});
  }

  const classes = table('Classes', [
    {title: 'Class', value: (row) => name(row).toLowerCase(), cell: (row) => make('button', {type: 'button', class: 'link', click: () => list(row)}, name(row))},
    {title: heap.others ? 'Count' : 'Objects', number: true, value: (row) => row[1], cell: (row) => counted(row[1])},
    {title: 'Bytes', number: true, value: (row) => row[2], cell: (row) => bytes(row[2])},
    {title: 'Retained', number: true, value: (row) => row[3], cell: (row) => [bytes(row[3]), bar(row[3] / largest)]},
  ], heap.classes, 25);
  const filter = make('input', {type: 'search', id: 'filter', autocomplete: 'off', spellcheck: 'false',
    input: () => {
      const wanted = filter.value.toLowerCase();
      classes.show(heap.classes.filter((row) => name(row).toLowerCase().includes(wanted)));
    }});
  const [left, count, size] = heap.classes_left;
  return [make('div', {class: 'tools'}, make('label', {for: 'filter'}, 'Classes whose name has', filter)), classes.element,
    left ? make('p', {class: 'faint'}, plural(left, 'further class').replace('classs', 'classes') + ' with ' + plural(count, heap.others ? 'allocation' : 'object') + ' and ' + bytes(size) + ' had no room in this page.') : null,
    objects];
}

function heapHead(heap) {
  const link = (to, title) => make('li', {}, make('a', {href: '#' + to}, title));
  const fact = (title, value) => make('div', {}, make('dt', {}, title), make('dd', {}, value));
  return [
    make('nav', {'aria-label': 'Parts of this page'}, make('ul', {},
      firstFindings().length ? link('findings', 'Findings') : null,
      link('map', 'Owners and map'), link('classes', 'Classes'), otherFindings().length ? link('others', 'Retain cycles') : null)),
    make('dl', {class: 'facts'}, fact('Objects', counted(heap.objects - heap.others)),
      heap.others ? fact('Other allocations', counted(heap.others)) : null, fact('Bytes', bytes(heap.bytes)),
      fact('Alive', things(heap.alive, heap.alive_others) + ', ' + bytes(heap.alive_bytes)),
      fact('References', counted(heap.references)), fact('Roots', counted(heap.root_count)), fact('Format', heap.format))];
}

function heapPart(heap) {
  const children = treeOf(heap);
  const map = mapPart(heap, children);
  return [
    make('section', {'aria-labelledby': 'map'}, make('h2', {id: 'map'}, 'What keeps the memory alive'), map.element,
      heap.without_path ? make('p', {class: 'faint'}, plural(heap.without_path, 'object') + ' of the map ' + (heap.without_path === 1 ? 'has' : 'have') + ' no path here: there was no room.') : null),
    make('section', {'aria-labelledby': 'classes'}, make('h2', {id: 'classes'}, 'Classes'), classesPart(heap, (tile) => map.show(tile)))];
}
