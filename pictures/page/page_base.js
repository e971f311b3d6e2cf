'use strict';
/* What the parts of a page share. Text of the target becomes text nodes, never markup. */

const data = JSON.parse(document.getElementById('data').textContent);

/* Characters that rule how others are shown, or are not seen: by their numbers instead. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

function shown(text) {
  return String(text).replace(UNSEEN, (c) => '\\u{' + c.codePointAt(0).toString(16) + '}');
}

/* Where the tool itself answers (loupe serve --http): a link to what it says of an object. */
function questionsAbout(address) {
  const at = document.documentElement.dataset.questions;
  return at ? make('p', {}, make('a', {href: at + address}, 'Inspect ' + address)) : null;
}

/* make('li', {class: 'x', click: f}, 'text', child): functions are listeners. */
function make(tag, attributes, ...children) {
  return furnish(document.createElement(tag), attributes, children);
}

function draw(tag, attributes, ...children) {
  return furnish(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function furnish(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === '') continue;
    element.append(child instanceof Node ? child : shown(child));
  }
  return element;
}

function replace(element, ...children) {
  element.replaceChildren();
  furnish(element, {}, children);
}

/* 1,234 */
function counted(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function plural(number, noun) {
  return counted(number) + ' ' + noun + (number === 1 ? '' : 's');
}

/* 20 objects, 6 other allocations: of all of which so many are non-objects. */
function things(all, others) {
  const objects = all - (others || 0);
  if (!others) return plural(all, 'object');
  return objects ? plural(objects, 'object') + ', ' + plural(others, 'other allocation') : plural(others, 'allocation');
}

/* 24 bytes, 1.2 MB */
function bytes(number) {
  if (number < 1000) return plural(number, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let unit = -1;
  while (number >= 999.5 && unit + 1 < units.length) {
    number /= 1000;
    unit++;
  }
  return number.toFixed(number < 99.95 ? 1 : 0) + ' ' + units[unit];
}

function listed(words) {
  if (words.length < 2) return words.join('');
  return words.slice(0, -1).join(', ') + ' and ' + words[words.length - 1];
}

/* ---- Things ---- */

function thingName(thing) {
  return thing.name || 'object';
}

function placeOf(thing) {
  if (!thing.file) return '';
  return thing.file + (thing.line ? ':' + thing.line : '');
}

/* What it says, as far as it fits beside a name: "Inbox" */
function valueOf(thing) {
  const letters = [...String(thing.value || '').slice(0, 200)];
  return letters.slice(0, 40).join('') + (letters.length > 40 ? '…' : '');
}

/* PhotoScreen 0x1f00; NSString 0x2f00 "Inbox"; block at PhotoScreen.m:34 */
function thingInWords(thing) {
  const place = placeOf(thing);
  if (place) return thingName(thing) + ' at ' + place;
  return thingName(thing) + (thing.address === '0x0' ? '' : ' ' + thing.address) +
         (thing.value ? ' ' + valueOf(thing) : '');
}

function thingInFull(thing) {
  const words = [thingName(thing) + ' ' + thing.address];
  if (placeOf(thing)) words.push('written at ' + placeOf(thing));
  if (thing.function) words.push('in ' + thing.function);
  if (thing.code) words.push('runs ' + thing.code);
  if (thing.size) words.push(bytes(thing.size));
  if (thing.retains !== undefined) words.push('retain count ' + counted(thing.retains));
  if (thing.value) words.push(thing.value);
  return words.join(', ');
}

const KINDS = {capture: 'captured', byref: '__block', association: 'associated',
               'user-info': 'user info'};

function arrowKind(arrow) {
  const kind = KINDS[arrow.kind] || String(arrow.kind || '').replace(/-/g, ' ');
  const plain = arrow.owns === 'strong' || !arrow.owns;
  return kind + (plain ? '' : ', ' + arrow.owns);
}

function arrowPath(arrow) {
  return arrow.path || '?';
}

function arrowInFull(arrow) {
  const words = [thingInWords(data.things[arrow.from]), arrowPath(arrow), '(' + arrowKind(arrow) + ')',
                 '→', thingInWords(data.things[arrow.to])];
  if (arrow.file) words.push('by the lambda at ' + placeOf(arrow));
  if (arrow.slot) words.push('in slot ' + arrow.slot);
  return words.join(' ');
}

/* ---- Tables ---- */

/*
 * columns: [{title, number, value(row), cell(row)}]. Rows come in their order until a heading is
 * pressed; no more than `most` at a time are made.
 */
function table(caption, columns, rows, most) {
  const body = make('tbody');
  const left = make('p', {class: 'faint', role: 'status'});
  const more = make('button', {type: 'button', click: () => { limit += most; fill(); }});
  let limit = most, order = rows, sorted = -1, descending = false;

  function fill() {
    body.replaceChildren(...order.slice(0, limit).map((row) => make('tr', {},
      columns.map((column) => make('td', {class: column.number ? 'number' : ''}, column.cell(row))))));
    const rest = order.length - limit;
    more.hidden = rest <= 0;
    more.textContent = 'Show ' + counted(Math.min(rest, most)) + ' more';
    left.textContent = rest > 0 ? counted(limit) + ' of ' + counted(order.length) + ' shown' : '';
  }

  function sortBy(at) {
    descending = sorted === at ? !descending : Boolean(columns[at].number);
    sorted = at;
    heads.forEach((head, i) => {
      if (i === at) head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
    });
    arrange();
  }

  function arrange() {
    if (sorted >= 0) {
      const value = columns[sorted].value, sign = descending ? -1 : 1;
      order = [...order].sort((a, b) => {
        const x = value(a), y = value(b);
        return sign * (x < y ? -1 : x > y ? 1 : 0);
      });
    }
    fill();
  }

  const heads = columns.map((column, i) => make('th', {scope: 'col', class: column.number ? 'number' : ''},
    column.value ? make('button', {type: 'button', click: () => sortBy(i)}, column.title)
                 : column.title));
  fill();
  const element = make('div', {}, make('div', {class: 'scroll', tabindex: '0', role: 'region',
    'aria-label': caption},
    make('table', {}, make('caption', {class: 'visually-hidden'}, caption),
         make('thead', {}, make('tr', {}, heads)), body)), left, more);
  return {element, show(chosen) { order = chosen; limit = most; arrange(); }};
}
