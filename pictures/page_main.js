/* The whole page. */

function ownersPart() {
  if (!data.owned.length && !data.owners.length) return null;
  const total = data.owned.concat(data.owners).reduce((most, owner) => Math.max(most, owner.retained), 1);
  const rows = (caption, owners, more) => owners.length ? make('section', {}, make('h2', {}, caption), table(caption, [
    {title: 'Object', value: (row) => thingInWords(data.things[row.thing]), cell: (row) => thingInWords(data.things[row.thing])},
    {title: 'Retained', number: true, value: (row) => row.retained, cell: (row) => [bytes(row.retained), bar(row.retained / total)]},
    {title: 'Objects', number: true, value: (row) => row.objects, cell: (row) => counted(row.objects)},
  ], owners, 100).element, without(more)) : null;
  const seed = data.seed !== undefined ? thingInWords(data.things[data.seed]) : '';
  return [rows(seed ? 'Each of these alone keeps ' + seed + ' alive' : '', data.owners, data.more_owners),
          rows(seed ? 'What ' + seed + ' alone keeps alive' : 'The largest that nothing else alone keeps alive', data.owned, data.more_owned),
          data.shares.length ? make('section', {}, make('h2', {}, 'By class'), table('By class', [
            {title: 'Class', value: (row) => row[0], cell: (row) => row[0]},
            {title: 'Objects', number: true, value: (row) => row[1], cell: (row) => counted(row[1])},
            {title: 'Bytes', number: true, value: (row) => row[2], cell: (row) => bytes(row[2])}], data.shares, 100).element, without(data.more_shares)) : null];
}

/* What had no room in the page. */
function without(more) {
  return more ? make('p', {class: 'faint'}, 'and ' + counted(more) + ' more, which had no room in this page.') : null;
}

function bar(share) {
  const element = make('span', {class: 'bar', 'aria-hidden': 'true'});
  element.style.width = Math.max(0.5, 100 * share).toFixed(1) + '%';
  return element;
}

function page() {
  const main = document.getElementById('page');
  const many = data.findings.length > 8;
  document.title = 'Loupe: ' + shown(data.title).slice(0, 120);
  replace(main,
    make('h1', {}, data.title),
    data.notes.length ? make('ul', {class: 'notes'}, data.notes.map((note) => make('li', {}, note))) : null,
    without(data.more_notes),
    data.heap ? heapPart(data.heap) : null,
    ownersPart());
  const parts = data.findings.map((finding, i) => ({finding, i}));
  const list = make('div', {id: 'findings'});
  let next = 0;
  const more = make('button', {type: 'button', click: add});
  function add() {
    parts.slice(next, next + 8).forEach(({finding, i}) => list.append(findingSection(finding, i)));
    next = Math.min(parts.length, next + 8);
    more.hidden = next === parts.length;
    more.textContent = 'Show ' + plural(Math.min(8, parts.length - next), 'further finding');
  }
  add();
  main.append(list);
  if (many) main.append(more);
  if (data.more_findings) main.append(make('p', {class: 'faint'}, plural(data.more_findings, 'further finding') + ' had no room in this page.'));
}

page();
