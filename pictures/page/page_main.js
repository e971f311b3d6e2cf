/* The whole page. */

function ownersPart() {
  if (!data.owned.length && !data.owners.length) return null;
  const total = data.owned.concat(data.owners).reduce((most, owner) => Math.max(most, owner.retained), 1);
  const rows = (caption, owners, more) => owners.length ? make('section', {}, make('h2', {}, caption), table(caption, [
    {title: 'Object', value: (row) => thingInWords(data.things[row.thing]), cell: (row) => thingInWords(data.things[row.thing])},
    {title: 'Retained', number: true, value: (row) => row.retained, cell: (row) => [bytes(row.retained), bar(row.retained / total)]},
    {title: owners.some((row) => row.others) ? 'Allocations' : 'Objects', number: true, value: (row) => row.objects, cell: (row) => counted(row.objects)},
  ], owners, 100).element, without(more)) : null;
  const seed = data.seed !== undefined ? thingInWords(data.things[data.seed]) : '';
  return [rows(seed ? 'Dominators of ' + seed : '', data.owners, data.more_owners),
          rows(seed ? 'What ' + seed + ' alone keeps alive' : 'The largest that nothing else alone keeps alive', data.owned, data.more_owned),
          data.shares.length ? make('section', {}, make('h2', {}, 'By class'), table('By class', [
            {title: 'Class', value: (row) => row[0], cell: (row) => row[0]},
            {title: 'Count', number: true, value: (row) => row[1], cell: (row) => counted(row[1])},
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

/* ---- Findings ---- */

/* A cycle of the Java or Android platform's own objects: nobody who reads this can change it. */
function isOfPlatform(finding) {
  const ofPlatform = /^(class )?(java|javax|jdk|sun|com\.sun|android|dalvik|libcore)\./u;
  return Boolean(data.heap) && data.heap.format.startsWith('JAVA') && finding.kind === 'knot' &&
    finding.arrows.length > 0 && finding.arrows.every((arrow) =>
      ofPlatform.test(thingName(data.things[arrow.from])) && ofPlatform.test(thingName(data.things[arrow.to])));
}

/* In the page of a whole heap cycles that something holds come below what keeps most alive. */
function isOther(finding) {
  return Boolean(data.heap) && finding.kind === 'knot' && finding.verdict === 'held';
}

function firstFindings() {
  return data.large.concat(data.findings.filter((finding) => !isOther(finding)));
}

function otherFindings() {
  return data.findings.filter((finding) => isOther(finding) && !isOfPlatform(finding));
}

/* The first ones, and a button for those that follow. */
function findingsPart(id, parts, before, atFirst) {
  const list = make('div', {id});
  const more = make('button', {type: 'button', click: () => add(8)});
  let next = 0;
  function add(count) {
    parts.slice(next, next + count).forEach((finding, i) => list.append(findingSection(finding, before + next + i)));
    next = Math.min(parts.length, next + count);
    more.hidden = next === parts.length;
    more.textContent = 'Show ' + plural(Math.min(8, parts.length - next), 'further finding');
  }
  add(atFirst);
  return [list, more];
}

function platformPart() {
  const own = data.findings.filter((finding) => isOther(finding) && isOfPlatform(finding));
  if (!own.length) return null;
  const list = make('details', {}, make('summary', {}, plural(own.length, 'retain cycle') + ' of the platform’s own objects'));
  list.addEventListener('toggle', () => {
    if (list.open && list.children.length === 1) own.slice(0, 20).forEach((finding, i) => list.append(findingSection(finding, 'own-' + i)));
  });
  return list;
}

function page() {
  const main = document.getElementById('page');
  document.title = 'Loupe: ' + shown(data.title).slice(0, 120);
  replace(main,
    make('h1', {}, data.title),
    data.notes.length ? make('ul', {class: 'notes'}, data.notes.map((note) => make('li', {}, note))) : null,
    without(data.more_notes),
    data.heap ? heapHead(data.heap) : null,
    ownersPart(),
    findingsPart('findings', firstFindings(), 0, data.heap ? 3 : 8),
    data.heap ? heapPart(data.heap) : null,
    findingsPart('others', otherFindings(), firstFindings().length, 8),
    platformPart(),
    without((data.more_findings || 0) + (data.more_large || 0)));
}

page();
