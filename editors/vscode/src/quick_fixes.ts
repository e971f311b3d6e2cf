/** Fixes of a saved answer as quick fixes of the sources, each with a preview before it is taken. */
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';

import { Fix, argumentsOf, fixesOf } from './fixes';

const LARGEST = 64 << 20;
const SOURCES = ['c', 'cpp', 'objective-c', 'objective-cpp'].map((language) => ({ language, scheme: 'file' }));

/** A fix at the first line that it changes. */
class Offered extends vscode.Diagnostic {
    constructor(readonly fix: Fix, readonly folder: vscode.Uri) {
        const line = fix.changes[0]?.replacements[0]?.first ?? 0;
        super(new vscode.Range(line, 0, line, Number.MAX_SAFE_INTEGER), fix.text, vscode.DiagnosticSeverity.Warning);
        this.source = 'Loupe';
    }
}

/** What asks for an answer, and offers its fixes from then on. */
export function offerFixes(context: vscode.ExtensionContext): () => Promise<void> {
    const offered = vscode.languages.createDiagnosticCollection('loupe');
    context.subscriptions.push(offered,
        vscode.languages.registerCodeActionsProvider(SOURCES, { provideCodeActions: actionsAt },
            { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }),
        // Its lines are not where the answer has them any more.
        vscode.workspace.onDidChangeTextDocument((event) => {
            if (event.contentChanges.length && offered.has(event.document.uri)) {
                offered.clear();
            }
        }));
    return () => fixesOfAnswer(offered);
}

async function fixesOfAnswer(offered: vscode.DiagnosticCollection): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const tool = vscode.workspace.getConfiguration('loupe').get<string>('tool', '');
    if (!folder || !tool) {
        void vscode.window.showErrorMessage('Loupe needs a folder, and its tool: the setting loupe.tool.');
        return;
    }
    const [answer] = await vscode.window.showOpenDialog({
        title: 'An answer of loupe leaks --json, or a heap', defaultUri: folder,
    }) ?? [];
    if (!answer) {
        return;
    }
    try {
        const fixes = fixesOf(await run(tool, argumentsOf(answer.fsPath, folder.fsPath)));
        show(offered, folder, fixes);
        void vscode.window.showInformationMessage(`Loupe: ${fixes.length} ${fixes.length === 1 ? 'fix' : 'fixes'} as quick fixes.`);
    } catch (problem) {
        void vscode.window.showErrorMessage(`Loupe: ${problem instanceof Error ? problem.message : String(problem)}`);
    }
}

function run(tool: string, words: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
        execFile(tool, words, { maxBuffer: LARGEST }, (problem, printed, complaint) => {
            if (problem) {
                reject(new Error(complaint.trim() || problem.message));
            } else {
                resolve(printed);
            }
        });
    });
}

function show(offered: vscode.DiagnosticCollection, folder: vscode.Uri, fixes: readonly Fix[]): void {
    const byFile = new Map<string, Offered[]>();
    for (const fix of fixes) {
        const file = fix.changes[0]?.file ?? '';
        byFile.set(file, [...byFile.get(file) ?? [], new Offered(fix, folder)]);
    }
    offered.clear();
    byFile.forEach((diagnostics, file) => offered.set(vscode.Uri.joinPath(folder, file), diagnostics));
}

function actionsAt(_document: vscode.TextDocument, _range: vscode.Range, context: vscode.CodeActionContext): vscode.CodeAction[] {
    return context.diagnostics.filter((diagnostic): diagnostic is Offered => diagnostic instanceof Offered).map((offer) => {
        const action = new vscode.CodeAction(offer.fix.text, vscode.CodeActionKind.QuickFix);
        action.diagnostics = [offer];
        action.edit = editOf(offer);
        return action;
    });
}

/** The editor shows what changes and asks, as nobody should take such a change unseen. */
function editOf(offer: Offered): vscode.WorkspaceEdit {
    const edit = new vscode.WorkspaceEdit();
    const about = { needsConfirmation: true, label: offer.fix.text, description: offer.fix.restsOn };
    for (const change of offer.fix.changes) {
        for (const one of change.replacements) {
            edit.replace(vscode.Uri.joinPath(offer.folder, change.file), new vscode.Range(one.first, 0, one.end, 0), one.text, about);
        }
    }
    return edit;
}
