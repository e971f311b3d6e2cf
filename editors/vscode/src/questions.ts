/** The questions of the menus as commands that leave a page in a file, and that page. */
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';

import { Printed, Session, isUnknownCommand, quoted, run } from './adapter';

export type Question = 'retain-cycles' | 'path' | 'leaks';

/** What the settings say. Empty: nothing. */
export interface Settings {
    readonly commands: string;
    readonly filters: string;
    readonly baseline: string;
    readonly timeout: number;
}

/** A page to show, or why there is none. */
export interface Reply {
    readonly page: string;
    readonly text: string;
    readonly problem: string;
}

const COMMANDS: Record<Question, string> = {
    'retain-cycles': 'retain-cycles', 'path': 'loupe path', 'leaks': 'loupe leaks',
};

/** The command; without an expression it is about self, and leaks are about the whole heap. */
export function commandLine(question: Question, page: string, settings: Settings,
                            expression = ''): string {
    const words = [COMMANDS[question], '--timeout', String(settings.timeout), '--html', quoted(page)];
    if (question !== 'path') {
        words.push(...option('--filters', settings.filters), ...option('--baseline', settings.baseline));
    }
    return [...words, ...(expression ? ['--', expression] : [])].join(' ');
}

function option(name: string, value: string): string[] {
    return value ? [name, quoted(value)] : [];
}

/** Asks, and loads the commands first where this LLDB does not know them. */
export async function ask(session: Session, question: Question, settings: Settings,
                          expression = '', frame?: number): Promise<Reply> {
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'loupe-'));
    const file = path.join(folder, 'page.html');
    try {
        const line = commandLine(question, file, settings, expression);
        let said = await run(session, line, frame);
        if (isUnknownCommand(said.problem) && settings.commands) {
            const loaded = await run(session, 'command script import ' + quoted(settings.commands));
            said = loaded.problem ? loaded : await run(session, line, frame);
        }
        return await reply(said, file);
    } finally {
        await fs.rm(folder, { recursive: true, force: true });
    }
}

/** A gate that found something complains, and has a page all the same; a refusal has none to show. */
async function reply(said: Printed, file: string): Promise<Reply> {
    const isGate = said.text !== '' || /: found /.test(said.problem);
    const page = said.problem === '' || isGate ? await contents(file) : '';
    return { page, text: said.text, problem: page ? '' : explained(said.problem) };
}

async function contents(file: string): Promise<string> {
    try {
        return await fs.readFile(file, 'utf8');
    } catch {
        return '';  // the adapter may run on another machine: then there is the text
    }
}

function explained(problem: string): string {
    return isUnknownCommand(problem)
        ? 'Loupe is not loaded in this debug session: say in the setting loupe.commands where its '
            + 'folder lldb_commands is, or load it in ~/.lldbinit'
        : problem;
}
