/** Writes a page as the panel shows it: make_panel.js PAGE NONCE. For the test in a browser. */
import { readFileSync } from 'node:fs';

import { placesOf, withLinks } from '../src/page';

const [file = '', nonce = ''] = process.argv.slice(2);
const page = readFileSync(file, 'utf8');
process.stdout.write(withLinks(page, placesOf(page), nonce));
