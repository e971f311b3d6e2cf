/** The commands of the menus, the panel that their answers are shown in, and files that it opens. */
import { randomBytes } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';

import { DEBUG_TYPES, expressionOf } from './adapter';
import { Place, placesOf, textPage, withLinks } from './page';
import { Question, Settings, ask } from './questions';
import { offerFixes } from './quick_fixes';

/** What the Variables view hands to a command of its context menu. */
interface Chosen {
    readonly variable?: { name?: string, evaluateName?: string, memoryReference?: string };
}

const TITLES: Record<Question, string> = {
    'retain-cycles': 'Retain cycles', 'path': 'Why is it alive?', 'leaks': 'Leaks',
};

export function activate(context: vscode.ExtensionContext): void {
    void vscode.commands.executeCommand('setContext', 'loupe.debugTypes', DEBUG_TYPES);
    const command = (name: string, run: (chosen?: Chosen) => Promise<void>): void => {
        context.subscriptions.push(vscode.commands.registerCommand(name, run));
    };
    command('loupe.whyAlive', (chosen) => askAboutObject('path', chosen));
    command('loupe.retainCycles', (chosen) => askAboutObject('retain-cycles', chosen));
    command('loupe.leaks', () => answer('leaks', ''));
    command('loupe.fixes', offerFixes(context));
    offerServer(context);
}

/** The tool's `serve`, for models: about files alone, and it changes nothing. */
function offerServer(context: vscode.ExtensionContext): void {
    const changed = new vscode.EventEmitter<void>();
    context.subscriptions.push(changed, vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('loupe.tool')) {
            changed.fire();
        }
    }), vscode.lm.registerMcpServerDefinitionProvider('loupe', {
        onDidChangeMcpServerDefinitions: changed.event,
        provideMcpServerDefinitions: () => {
            const tool = vscode.workspace.getConfiguration('loupe').get<string>('tool', '');
            return tool ? [new vscode.McpStdioServerDefinition('Loupe', tool, ['serve'])] : [];
        },
    }));
}

async function askAboutObject(question: Question, chosen?: Chosen): Promise<void> {
    const variable = chosen?.variable;
    const expression = variable ? variable.evaluateName ?? variable.memoryReference ?? variable.name
        : await vscode.window.showInputBox({
            title: TITLES[question], value: 'self',
            prompt: 'An expression or an address, as in LLDB',
        });
    if (expression) {
        await answer(question, expressionOf(expression));
    }
}

async function answer(question: Question, expression: string): Promise<void> {
    const session = vscode.debug.activeDebugSession;
    if (!session || !DEBUG_TYPES.includes(session.type)) {
        void vscode.window.showErrorMessage('Loupe asks LLDB: start a debug session of lldb-dap or '
            + 'CodeLLDB, and stop it.');
        return;
    }
    const item = vscode.debug.activeStackItem;
    const frame = item instanceof vscode.DebugStackFrame ? item.frameId : undefined;
    const reply = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: `Loupe: ${TITLES[question]}` },
        () => ask(session, question, settings(session), expression, frame));
    if (reply.problem && !reply.text) {
        void vscode.window.showErrorMessage(`Loupe: ${reply.problem}`);
        return;
    }
    const title = expression ? `${TITLES[question]}: ${expression}` : TITLES[question];
    show(title, reply.page, [reply.text, reply.problem].filter(Boolean).join('\n\n'));
}

function settings(session: vscode.DebugSession): Settings {
    const configured = vscode.workspace.getConfiguration('loupe', session.workspaceFolder?.uri);
    const file = (key: string): string => {
        const value = configured.get<string>(key, '');
        const folder = session.workspaceFolder?.uri.fsPath ?? '';
        return value && folder ? path.resolve(folder, value) : value;
    };
    return {
        commands: file('commands'), filters: file('filters'), baseline: file('baseline'),
        timeout: configured.get<number>('timeout', 60),
    };
}

function show(title: string, page: string, text: string): void {
    const panel = vscode.window.createWebviewPanel('loupe', title, vscode.ViewColumn.Beside,
        { enableScripts: page !== '', localResourceRoots: [], enableFindWidget: true });
    panel.webview.onDidReceiveMessage((message: { open?: Place }) => {
        if (message.open) {
            void open(message.open);
        }
    });
    const nonce = randomBytes(16).toString('hex');
    panel.webview.html = page ? withLinks(page, placesOf(page), nonce) : textPage(text);
}

/** Pages call files by as much of their names as tells them apart. */
async function open(place: Place): Promise<void> {
    const found = path.isAbsolute(place.file) ? [vscode.Uri.file(place.file)]
        : await vscode.workspace.findFiles(`**/${place.file.replace(/[[\]{}*?]/g, '?')}`, undefined, 10);
    const chosen = found.length > 1
        ? (await vscode.window.showQuickPick(
            found.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }))))?.uri
        : found[0];
    if (!found.length) {
        void vscode.window.showWarningMessage(`Loupe: no file ${place.file} in this workspace.`);
    }
    if (chosen) {
        const at = new vscode.Position(Math.max(place.line - 1, 0), 0);
        await vscode.window.showTextDocument(chosen, {
            selection: new vscode.Range(at, at), viewColumn: vscode.ViewColumn.One,
        });
    }
}
