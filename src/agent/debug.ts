/** HERMES_DEBUG=1: the complete prompt and the raw reply of every model call, as files; secrets masked. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { maskPatterns, type Secrets } from '../journal/secrets.ts';
import type { Reply, State } from '../kernel/types.ts';
import type { AskOptions } from '../models/types.ts';

/** `DIRECTORY/RUN_ID/STEP.request.json` and `STEP.reply.json`; a step asked again writes them anew. */
export function writeDebug(
  directory: string,
  state: State,
  request: AskOptions,
  reply: Reply | undefined,
  secrets: Secrets | undefined,
): void {
  const folder = join(directory, state.run_id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { abortSignal: _, ...plain } = request;
  const text = (value: unknown) => maskPatterns(JSON.stringify(secrets ? secrets.hide(value) : value, undefined, 2));
  const step = String(state.step).padStart(3, '0');
  writeFileSync(join(folder, `${step}.request.json`), text(plain), { mode: 0o600 });
  if (reply) writeFileSync(join(folder, `${step}.reply.json`), text(reply), { mode: 0o600 });
}
