/** Against a real lldb-dap, where the environment names one (LOUPE_TEST_DAP). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { writeFileSync } from 'node:fs';

import { placesOf } from '../src/page';
import { Settings, ask } from '../src/questions';
import { Adapter } from './dap';

const { LOUPE_TEST_DAP: program, LOUPE_TEST_PROGRAM: target, LOUPE_TEST_COMMANDS: commands,
    LOUPE_TEST_PAGE: kept } = process.env;
const settings: Settings = { commands: commands ?? '', filters: '', baseline: '', timeout: 60 };
const skip = program ? false : 'LOUPE_TEST_DAP names no lldb-dap';

// A program that is not named would be waited for until somebody ends the test.
for (const [name, value] of Object.entries({ LOUPE_TEST_PROGRAM: target, LOUPE_TEST_COMMANDS: commands })) {
    if (program && !value) {
        throw new Error(`LOUPE_TEST_DAP is set, and ${name} is not`);
    }
}

let session: Adapter;
let frame = 0;

before(async () => {
    if (program) {
        session = new Adapter(program, process.env);
        frame = await session.stopIn(target ?? '', 'loupe_fixture_ready', []);
    }
});

after(async () => {
    await session?.close();
});

test('commands that are not there yet are loaded, and the cycle has a page', { skip }, async () => {
    const reply = await ask(session, 'retain-cycles', settings, 'seed', frame);
    assert.equal(reply.problem, '');
    assert.match(reply.text, /1 leaked retain cycle through seed/);
    assert.ok(placesOf(reply.page).some((place) => place.file.endsWith('main.m')), reply.page.slice(0, 500));
    if (kept) {
        writeFileSync(kept, reply.page);
    }
});

test('why it is alive', { skip }, async () => {
    const reply = await ask(session, 'path', settings, 'seed', frame);
    assert.equal(reply.problem, '');
    assert.match(reply.page, /^<!DOCTYPE html>/);
});

test('leaks of the whole heap', { skip }, async () => {
    const reply = await ask(session, 'leaks', settings, '', frame);
    assert.equal(reply.problem, '');
    assert.match(reply.page, /Owner/);
});

test('a refusal has words and no page', { skip }, async () => {
    const reply = await ask(session, 'retain-cycles', settings, 'nothing_of_that_name', frame);
    assert.equal(reply.page, '');
    assert.match(reply.problem, /nothing_of_that_name/);
});

test('a gate that finds something has a page all the same', { skip }, async () => {
    const baseline = `${process.cwd()}/no-rings.txt`;
    writeFileSync(baseline, '# nothing is known\n');
    const reply = await ask(session, 'retain-cycles', { ...settings, baseline }, 'seed', frame);
    assert.match(reply.page, /^<!DOCTYPE html>/);
});
