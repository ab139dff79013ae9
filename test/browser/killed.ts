/** A program with an open browser, which the test kills. Arguments: a workspace, and an address to open. */

import { resolve } from 'node:path';
import { scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, stateWith } from '../tools/performing.ts';

const [workspace = '', url = ''] = process.argv.slice(2);
const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
const settings = { browser: { allow_hosts: [new URL(url).host] } };
const call = callOf('browser', { action: 'open', url, submit: false, from: 0 }, { level: 'read' });
const { result } = await acted({ tools, workspace, settings }, call, stateWith({ run_id: 'run-killed' }));
console.log(result.success);
setInterval(() => undefined, 1000);
