/** The program's first file, and a small one: it turns the compile cache on before anything large is loaded. */

import { homedir } from 'node:os';
import { join } from 'node:path';

// In the user's own folder: a shared one could be filled by somebody else. The variable is for this process, not for what it starts.
delete process.env.NODE_COMPILE_CACHE;
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
process.getBuiltinModule('node:module').enableCompileCache(join(cache, 'hermes', 'compiled'));

import('./program.ts').then((program) => program.main(process.argv.slice(2)));
