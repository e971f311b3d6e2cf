/**
 * A page of Loupe as a panel shows it: places in sources become links, which the panel sends to the
 * editor. What the page may do stays as it is, by its Content-Security-Policy, but for one script.
 */

/** A line of a source file, as the page calls it. */
export interface Place {
    readonly file: string;
    readonly line: number;
}

/** All places that the page names, each once. */
export function placesOf(page: string): Place[] {
    const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)?.[1];
    const found = new Map<string, Place>();
    const look = (value: unknown): void => {
        if (Array.isArray(value)) {
            value.forEach(look);
        } else if (value !== null && typeof value === 'object') {
            const { file, line } = value as { file?: unknown, line?: unknown };
            if (typeof file === 'string' && file !== '' && typeof line === 'number' && line > 0) {
                found.set(`${file}:${line}`, { file, line });
            }
            Object.values(value).forEach(look);
        }
    };
    try {
        look(JSON.parse(data ?? '[]'));
    } catch {
        // A page of another version: it is shown without links.
    }
    return [...found.values()];
}

/** The page with its links. The nonce lets this one script and style run. */
export function withLinks(page: string, places: readonly Place[], nonce: string): string {
    const allowed = page.replace(/(script-src|style-src) '/g, `$1 'nonce-${nonce}' '`);
    const known = JSON.stringify(places).replace(/</g, '\\u003c');
    const script = `(${link.toString()})(${known}, acquireVsCodeApi());`.replace(/<\//g, '<\\/');
    // Functions in place of texts: `$&` in a file's name means nothing.
    return allowed
        .replace('</head>', () => `<style nonce="${nonce}">.loupe-place { cursor: pointer; `
            + 'text-decoration: underline; }</style></head>')
        .replace('</body>', () => `<script nonce="${nonce}">${script}</script></body>`);
}

/** Text for the panel where there is no page. */
export function textPage(text: string): string {
    const escaped = text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
    return '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        + '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'">'
        + `<title>Loupe</title></head><body><pre>${escaped}</pre></body></html>`;
}

/** Runs in the page, and therefore uses nothing from around it. */
function link(places: readonly Place[], editor: { postMessage(message: unknown): void }): void {
    const names = places.map((place) => `${place.file}:${place.line}`);
    const mark = (found: Element): void => {
        let element = found;
        const text = element.childElementCount === 0 ? element.textContent ?? '' : '';
        const number = names.findIndex((name) => text.includes(name)
            && !/\d/.test(text.charAt(text.indexOf(name) + name.length)));
        // What is a button does something else already.
        if (number < 0 || element.closest('script, style, title, button, summary, .loupe-place')) {
            return;
        }
        if (element.matches('td, th, li, p')) {  // they stay what they are for a screen reader
            const inside = document.createElement('span');
            inside.append(...element.childNodes);
            element.append(inside);
            element = inside;
        }
        element.classList.add('loupe-place');
        element.setAttribute('data-place', String(number));
        element.setAttribute('tabindex', '0');
        element.setAttribute('role', 'link');
    };
    const markAll = (): void => document.querySelectorAll('body *').forEach(mark);
    const open = (event: Event): void => {
        const place = (event.target as Element | null)?.closest('[data-place]');
        if (place) {
            editor.postMessage({ open: places[Number(place.getAttribute('data-place'))] });
        }
    };
    document.addEventListener('click', open);
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Enter') {
            open(event);
        }
    });
    new MutationObserver(markAll).observe(document.body, { childList: true, subtree: true });
    markAll();
}
