/** `hermes run "REQUEST"`: one request, one answer. */

import type { Cli, ExitStatus } from '../context.ts';
import { configFor, openFor, sessionFor } from '../open.ts';
import type { RunOptions } from '../options.ts';
import { readRequest } from '../request.ts';
import { Turn } from '../turn.ts';

export async function runCommand(cli: Cli, words: readonly string[], options: RunOptions): Promise<ExitStatus> {
  const { text, files } = await readRequest(cli, words, options.file ?? []);
  const config = await configFor(cli, options);
  const turn = new Turn(cli, options, config);
  const opened = await openFor(cli, config, options, turn);
  try {
    const session = await sessionFor(cli, config, opened, options);
    return await turn.take(() => opened.agent.session(session).start(text, { files }));
  } finally {
    await opened.close();
  }
}
