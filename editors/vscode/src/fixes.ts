/** Fixes of an answer, as the tool writes them in SARIF: what they say, and the lines that they replace. */

/** Whole lines, from 0; those from first up to the one before end. */
export interface Replacement {
    readonly first: number;
    readonly end: number;
    readonly text: string;
}

export interface Change {
    /** From the folder on, with slashes. */
    readonly file: string;
    readonly replacements: readonly Replacement[];
}

export interface Fix {
    readonly text: string;
    readonly restsOn: string;
    readonly changes: readonly Change[];
}

/** What the tool is started with. */
export function argumentsOf(answer: string, folder: string): string[] {
    return ['fix', answer, '--format', 'sarif', '--source', folder];
}

/** A path that cannot leave the folder; undefined for any other. */
export function plainPath(uri: string): string | undefined {
    let file: string;
    try {
        file = decodeURIComponent(uri);
    } catch {
        return undefined;
    }
    const parts = file.split('/');
    const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..')
        && !/[\0\\:]/.test(file);
    return isPlain ? file : undefined;
}

/** The value of a key of what may be anything. */
function at(value: unknown, ...keys: (string | number)[]): unknown {
    let here = value;
    for (const key of keys) {
        here = typeof here === 'object' && here !== null ? (here as Record<string | number, unknown>)[key] : undefined;
    }
    return here;
}

function listAt(value: unknown, ...keys: (string | number)[]): readonly unknown[] {
    const found = at(value, ...keys);
    return Array.isArray(found) ? found : [];
}

function textAt(value: unknown, ...keys: (string | number)[]): string {
    const found = at(value, ...keys);
    return typeof found === 'string' ? found : '';
}

/** undefined: it does not replace whole lines. */
function replacementOf(said: unknown): Replacement | undefined {
    const region = at(said, 'deletedRegion');
    const first = at(region, 'startLine'), end = at(region, 'endLine'), text = at(said, 'insertedContent', 'text');
    const isWhole = at(region, 'startColumn') === 1 && at(region, 'endColumn') === 1;
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(end) || typeof text !== 'string' || !isWhole
        || (first as number) < 1 || (end as number) < (first as number)) {
        return undefined;
    }
    return { first: (first as number) - 1, end: (end as number) - 1, text };
}

function changeOf(said: unknown): Change | undefined {
    const file = plainPath(textAt(said, 'artifactLocation', 'uri'));
    const replacements = listAt(said, 'replacements').map(replacementOf);
    if (file === undefined || !replacements.length || replacements.includes(undefined)) {
        return undefined;
    }
    return { file, replacements: replacements as Replacement[] };
}

/** All that are understood as a whole; a part of a change would be another change. */
export function fixesOf(sarif: string): Fix[] {
    const found: Fix[] = [];
    for (const result of listAt(JSON.parse(sarif), 'runs', 0, 'results')) {
        const changes = listAt(result, 'fixes', 0, 'artifactChanges').map(changeOf);
        if (changes.length && !changes.includes(undefined)) {
            found.push({
                text: textAt(result, 'message', 'text'),
                restsOn: textAt(result, 'fixes', 0, 'description', 'text'),
                changes: changes as Change[],
            });
        }
    }
    return found;
}
