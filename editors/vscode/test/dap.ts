/** A client of a debug adapter that asks as the editor does: a session that is launched and stopped. */
import { ChildProcess, spawn } from 'node:child_process';

import { Session } from '../src/adapter';

interface Message {
    readonly type: string;
    readonly event?: string;
    readonly request_seq?: number;
    readonly success?: boolean;
    readonly message?: string;
    readonly body?: Record<string, unknown>;
}

export class Adapter implements Session {
    readonly type = 'lldb-dap';
    private readonly process: ChildProcess;
    private received = Buffer.alloc(0);
    private number = 0;
    private readonly waiting: { wanted(message: Message): boolean, done(message: Message): void }[] = [];

    constructor(program: string, environment: NodeJS.ProcessEnv) {
        this.process = spawn(program, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
        this.process.stdout?.on('data', (data: Buffer) => {
            this.received = Buffer.concat([this.received, data]);
            while (this.takeMessage()) { /* one after the other */ }
        });
    }

    /** Runs a program to a function, and returns the frame that called it. */
    async stopIn(program: string, name: string, initCommands: string[]): Promise<number> {
        await this.customRequest('initialize', { adapterID: 'test', linesStartAt1: true });
        const ready = this.until((message) => message.event === 'initialized');
        void this.customRequest('launch', { program, initCommands });
        await ready;
        await this.customRequest('setFunctionBreakpoints', { breakpoints: [{ name }] });
        const stopped = this.until((message) => message.event === 'stopped');
        await this.customRequest('configurationDone', {});
        const threadId = (await stopped).body?.['threadId'];
        const { stackFrames } = await this.customRequest('stackTrace', { threadId });
        const frame = (stackFrames as { id: number }[])[1]?.id ?? 0;
        await this.customRequest('scopes', { frameId: frame });
        return frame;
    }

    async customRequest(command: string, body: Record<string, unknown>): Promise<Record<string, unknown>> {
        const seq = ++this.number;
        const text = JSON.stringify({ seq, type: 'request', command, arguments: body });
        const answer = this.until((message) => message.request_seq === seq);
        this.process.stdin?.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
        const message = await answer;
        if (!message.success) {
            throw new Error(message.message ?? `${command} failed`);
        }
        return message.body ?? {};
    }

    async close(): Promise<void> {
        const ended = new Promise((done) => this.process.once('exit', done));
        void this.customRequest('disconnect', { terminateDebuggee: true });
        await ended;
    }

    private until(wanted: (message: Message) => boolean): Promise<Message> {
        return new Promise((done) => this.waiting.push({ wanted, done }));
    }

    private takeMessage(): boolean {
        const end = this.received.indexOf('\r\n\r\n');
        const length = Number(/Content-Length: (\d+)/i.exec(this.received.toString('latin1', 0, end))?.[1]);
        if (end < 0 || this.received.length < end + 4 + length) {
            return false;
        }
        const message = JSON.parse(this.received.toString('utf8', end + 4, end + 4 + length)) as Message;
        this.received = this.received.subarray(end + 4 + length);
        for (const [at, one] of [...this.waiting.entries()].reverse()) {
            if (one.wanted(message)) {
                this.waiting.splice(at, 1);
                one.done(message);
            }
        }
        return true;
    }
}
