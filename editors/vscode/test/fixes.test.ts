import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { test } from 'node:test';

import { Fix, argumentsOf, fixesOf, plainPath } from '../src/fixes';

const SOURCE = '@interface Node : NSObject\n@property (strong) Node *parent;\n@end\n@implementation Node\n@end\n';
const EDGE = { from: '0x1', to: '0x2', kind: 'ivar', path: '_parent', name: '_parent', ownership: 'strong' };
const ANSWER = {
    loupe: 1, query: 'cycles', status: 'ok',
    objects: { '0x1': { class: 'Node', kind: 'object' }, '0x2': { class: 'Node', kind: 'object' } },
    knots: [{ fingerprint: 'a', fixes: [{ do: 'make-weak', subjects: [{ do: 'make-weak', edge: EDGE }], edge: EDGE, breaks: 'knot', frees: true, conditions: [] }] }],
};

/** As an editor does it, from the end of the file on. */
function taken(text: string, fix: Fix, file: string): string {
    const lines = text.split(/(?<=\n)/);
    for (const change of fix.changes.filter((each) => each.file === file)) {
        for (const one of [...change.replacements].reverse()) {
            lines.splice(one.first, one.end - one.first, one.text);
        }
    }
    return lines.join('');
}

test('what the tool writes is what is taken', { skip: !process.env['LOUPE'] }, () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'loupe-fixes-'));
    try {
        fs.mkdirSync(path.join(folder, 'a b'));
        fs.writeFileSync(path.join(folder, 'a b', 'Node.m'), SOURCE);
        fs.writeFileSync(path.join(folder, 'answer.json'), JSON.stringify(ANSWER));
        const printed = execFileSync(process.env['LOUPE'] ?? '', argumentsOf(path.join(folder, 'answer.json'), folder), { encoding: 'utf8' });
        const [fix, ...more] = fixesOf(printed);
        assert.ok(fix && !more.length);
        assert.equal(fix.text, 'make Node._parent weak');
        assert.match(fix.restsOn, /is the only declaration found/);
        assert.equal(taken(SOURCE, fix, 'a b/Node.m'), SOURCE.replace('strong', 'weak'));
    } finally {
        fs.rmSync(folder, { recursive: true });
    }
});

function sarif(uri: unknown, region: object, text: unknown = 'x\n'): string {
    const replacements = [{ deletedRegion: { startLine: 2, startColumn: 1, endLine: 3, endColumn: 1, ...region }, insertedContent: { text } }];
    return JSON.stringify({ runs: [{ results: [{ message: { text: 'do it' }, fixes: [{ artifactChanges: [{ artifactLocation: { uri }, replacements }] }] }] }] });
}

test('a change that is not understood as a whole is no fix', () => {
    assert.deepEqual(fixesOf(sarif('a/b.m', {})), [{ text: 'do it', restsOn: '', changes: [{ file: 'a/b.m', replacements: [{ first: 1, end: 2, text: 'x\n' }] }] }]);
    for (const region of [{ startLine: 0 }, { startLine: 4 }, { startColumn: 2 }, { endColumn: 3 }, { endLine: '3' }, { startLine: 1.5 }]) {
        assert.deepEqual(fixesOf(sarif('a.m', region)), [], JSON.stringify(region));
    }
    for (const uri of ['../a.m', 'a/../../b.m', '/etc/passwd', 'file:///etc/passwd', 'a//b.m', '', 'a%2f..%2f..%2fb.m', '%', 'c:\\a.m', 7, null]) {
        assert.deepEqual(fixesOf(sarif(uri, {})), [], String(uri));
    }
    assert.deepEqual(fixesOf(sarif('a.m', {}, 7)), []);
    assert.deepEqual(fixesOf('{}'), []);
    assert.deepEqual(fixesOf('[1, null]'), []);
});

test('paths stay in the folder', () => {
    assert.equal(plainPath('src/a%20b.m'), 'src/a b.m');
    assert.equal(plainPath('src/./a.m'), undefined);
});
