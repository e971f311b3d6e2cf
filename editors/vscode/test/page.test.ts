import assert from 'node:assert/strict';
import { test } from 'node:test';

import { placesOf, textPage, withLinks } from '../src/page';

const page = (data: unknown): string =>
    '<html><head><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    + 'script-src \'sha256-a\'; style-src \'sha256-b\'"></head><body><script type="application/json" '
    + `id="data">${JSON.stringify(data).replace(/</g, '\\u003c')}</script></body></html>`;

test('places are found wherever they stand, each once', () => {
    assert.deepEqual(placesOf(page({ things: [{ file: 'A.m', line: 3 }, { file: 'A.m', line: 3 }],
        lines: [{ file: 'B.m', line: 9, deep: { file: 'C.m', line: 1 } }, { file: '', line: 2 },
            { file: 'D.m', line: 0 }, { file: 5, line: 5 }] })),
    [{ file: 'A.m', line: 3 }, { file: 'B.m', line: 9 }, { file: 'C.m', line: 1 }]);
});

test('a page that is none has no places', () => {
    assert.deepEqual(placesOf(''), []);
    assert.deepEqual(placesOf('<script type="application/json" id="data">{"a":</script>'), []);
});

test('only what has the nonce may run beside the page\'s own', () => {
    const made = withLinks(page({}), [], 'abc');
    assert.match(made, /script-src 'nonce-abc' 'sha256-a'; style-src 'nonce-abc' 'sha256-b'/);
    assert.equal(made.match(/nonce="abc"/g)?.length, 2);
});

test('names of files end no script and mean nothing to replace()', () => {
    const file = '</script><script>alert(1)</script>$&$`.m';
    const made = withLinks(page({}), [{ file, line: 1 }], 'abc');
    assert.equal(made.match(/<\/script>/g)?.length, 2);
    assert.ok(made.includes(JSON.stringify(file).replace(/</g, '\\u003c')));
});

test('text is no markup', () => {
    assert.ok(textPage('<b>&"').includes('<pre>&#60;b&#62;&#38;&#34;</pre>'));
});
