import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { test } from 'node:test';

import { Session, expressionOf, isUnknownCommand, printed, quoted, run } from '../src/adapter';
import { Settings, ask, commandLine } from '../src/questions';

const NOTHING: Settings = { commands: '', filters: '', baseline: '', timeout: 60 };

/** A session that answers by a table, and keeps what it was asked. */
class Drawn implements Session {
    readonly asked: Record<string, unknown>[] = [];
    constructor(readonly type: string, private readonly reply: (line: string) => string) { }
    async customRequest(_request: string, body: Record<string, unknown>): Promise<{ result: string }> {
        this.asked.push(body);
        return { result: this.reply(String(body['expression'])) };
    }
}

test('each adapter is asked in its own way, in the frame', async () => {
    const dap = new Drawn('lldb-dap', () => 'fine\n');
    assert.deepEqual(await run(dap, 'retain-cycles', 7), { text: 'fine', problem: '' });
    assert.deepEqual(dap.asked, [{ expression: '`retain-cycles', context: 'repl', frameId: 7 }]);
    const other = new Drawn('lldb', () => '');
    await run(other, 'retain-cycles');
    assert.deepEqual(other.asked, [{ expression: 'retain-cycles', context: '_command' }]);
});

test('an adapter that fails is a problem and no exception', async () => {
    const broken: Session = { type: 'lldb-dap', customRequest: () => Promise.reject(new Error('gone')) };
    assert.equal((await run(broken, 'retain-cycles')).problem, 'gone');
});

test('echo, output and complaint are told apart', () => {
    assert.deepEqual(printed('(lldb) a b\ntext\n', 'a b'), { text: 'text', problem: '' });
    assert.deepEqual(printed('error: no\n', 'a'), { text: '', problem: 'no' });
    assert.deepEqual(printed('1 cycle\nerror: a: found 1\n', 'a'), { text: '1 cycle', problem: 'a: found 1' });
    assert.deepEqual(printed('the word error: inside\n', 'a'), { text: 'the word error: inside', problem: '' });
});

test('words are quoted for LLDB', () => {
    assert.equal(quoted('a "b" \\c'), '"a \\"b\\" \\\\c"');
});

test('settings become options of those that have them', () => {
    const settings = { ...NOTHING, filters: '/a b/f', baseline: '/k' };
    assert.equal(commandLine('retain-cycles', '/t/p.html', settings, 'self->_x'),
        'retain-cycles --timeout 60 --html "/t/p.html" --filters "/a b/f" --baseline "/k" -- self->_x');
    assert.equal(commandLine('path', '/t/p.html', settings, '-x'),
        'loupe path --timeout 60 --html "/t/p.html" -- -x');
    assert.equal(commandLine('leaks', '/t/p.html', NOTHING), 'loupe leaks --timeout 60 --html "/t/p.html"');
});

test('the commands are loaded once they are missing, and only then', async () => {
    const missing = "error: 'retain-cycles' is not a valid command.\n";
    let loaded = false;
    const session = new Drawn('lldb-dap', (line) => {
        loaded ||= line.startsWith('`command script import');
        return loaded ? '' : missing;
    });
    await ask(session, 'retain-cycles', { ...NOTHING, commands: '/x/lldb_commands' }, 'self', 1);
    assert.equal(session.asked.length, 3);
    assert.equal(session.asked[1]?.['expression'], '`command script import "/x/lldb_commands"');

    const without = await ask(new Drawn('lldb-dap', () => missing), 'leaks', NOTHING);
    assert.match(without.problem, /loupe\.commands/);
    assert.ok(isUnknownCommand(missing));
});

/** CodeLLDB as its source has it: a context of its own for commands, whose failure is one of the
 *  request and has no output; anything else in the console is an expression. */
class CodeLldb implements Session {
    readonly type = 'lldb';
    constructor(private readonly command: (line: string) => { output: string, error: string }) { }
    async customRequest(_request: string, body: Record<string, unknown>): Promise<{ result: string }> {
        assert.equal(body['context'], '_command', 'else it is evaluated as an expression');
        const { output, error } = this.command(String(body['expression']));
        if (error) {
            throw new Error(error.trimEnd());
        }
        return { result: output.trimEnd() };
    }
}

test('what CodeLLDB calls a variable is an expression behind its language', () => {
    assert.equal(expressionOf('/nat self->_view'), 'self->_view');
    assert.equal(expressionOf('/se items'), 'items');
    assert.equal(expressionOf('self->_nat'), 'self->_nat');
    assert.equal(expressionOf('/nat'), '/nat');
});

test('CodeLLDB: an answer, a complaint, a gate whose text is lost, and commands to be loaded', async () => {
    const fine = await run(new CodeLldb(() => ({ output: 'no cycle\n', error: '' })), 'retain-cycles');
    assert.deepEqual(fine, { text: 'no cycle', problem: '' });

    const refused = await ask(new CodeLldb(() => ({ output: '', error: 'error: retain-cycles: x is nil\n' })),
        'retain-cycles', NOTHING, 'x');
    assert.deepEqual(refused, { page: '', text: '', problem: 'retain-cycles: x is nil' });

    const gate = new CodeLldb((line) => {
        fs.writeFileSync(/--html "([^"]+)"/.exec(line)?.[1] ?? '', '<p>page</p>');
        return { output: '1 retain cycle\n', error: 'error: retain-cycles: found 1 new leaked retain cycle\n' };
    });
    const found = await ask(gate, 'retain-cycles', { ...NOTHING, baseline: '/k' }, 'self');
    assert.deepEqual(found, { page: '<p>page</p>', text: '', problem: '' });

    const lines: string[] = [];
    const loading = new CodeLldb((line) => {
        lines.push(line);
        return { output: '', error: lines.length > 1 ? '' : "error: 'loupe' is not a valid command.\n" };
    });
    await ask(loading, 'leaks', { ...NOTHING, commands: '/x/lldb_commands' });
    assert.equal(lines[1], 'command script import "/x/lldb_commands"');
    assert.equal(lines.length, 3);
});
