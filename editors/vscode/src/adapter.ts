/**
 * Commands of LLDB through a debug adapter, by its `evaluate` request and nothing else, so that each
 * adapter over LLDB will do. Knows nothing of the editor.
 */

/** What of a debug session is needed. */
export interface Session {
    readonly type: string;
    customRequest(request: string, body: Record<string, unknown>): PromiseLike<{ result?: unknown }>;
}

/** The types of debug sessions that are LLDB: lldb-dap of LLVM, its name before, CodeLLDB. */
export const DEBUG_TYPES = ['lldb-dap', 'lldb-vscode', 'lldb'];

/** What LLDB printed, with its complaint where it was one. */
export interface Printed {
    readonly text: string;
    readonly problem: string;
}

/** Runs one command in a frame; without one in the frame that LLDB has selected. */
export async function run(session: Session, line: string, frame?: number): Promise<Printed> {
    const where = frame === undefined ? {} : { frameId: frame };
    // CodeLLDB has a context of its own; for lldb-dap a backtick says that it is a command.
    const asked = session.type === 'lldb' ? { expression: line, context: '_command' }
        : { expression: '`' + line, context: 'repl' };
    let text: string;
    try {
        text = String((await session.customRequest('evaluate', { ...asked, ...where })).result ?? '');
    } catch (error) {
        // CodeLLDB fails with what LLDB complained of, and loses what the command printed.
        const said = error instanceof Error ? error.message : String(error);
        text = said.startsWith('error: ') ? said : 'error: ' + said;
    }
    return printed(text, line);
}

/** Some versions repeat the line; a complaint begins a line with `error: `. */
export function printed(text: string, line: string): Printed {
    const echo = `(lldb) ${line}\n`;
    const said = text.startsWith(echo) ? text.slice(echo.length) : text;
    const at = said.startsWith('error: ') ? 0 : said.indexOf('\nerror: ') + 1;
    if (!said.startsWith('error: ', at)) {
        return { text: said.trim(), problem: '' };
    }
    return { text: said.slice(0, at).trim(), problem: said.slice(at + 'error: '.length).trim() };
}

/** A word of a command line as LLDB takes it apart. */
export function quoted(word: string): string {
    return '"' + word.replace(/[\\"]/g, '\\$&') + '"';
}

/** The expression of a variable: CodeLLDB says in front of it in which language it is. */
export function expressionOf(evaluateName: string): string {
    return evaluateName.replace(/^\/(nat|native|se|py) /, '');
}

/** Whether LLDB does not know the command, so that it has to be loaded first. */
export function isUnknownCommand(problem: string): boolean {
    return /is not a valid command/.test(problem);
}
