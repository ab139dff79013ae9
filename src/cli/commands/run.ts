/** `hermes run "REQUEST"`: one request, one answer. */

import type { Cli, ExitStatus } from '../context.ts';
import { configFor, openFor, outputFor, sessionFor } from '../open.ts';
import type { RunOptions } from '../options.ts';
import { readRequest } from '../request.ts';
import { Turn } from '../turn.ts';

export async function runCommand(cli: Cli, words: readonly string[], options: RunOptions): Promise<ExitStatus> {
  const { text, files } = await readRequest(cli, words, options.file ?? []);
  const output = await outputFor(options);
  const config = await configFor(cli, options);
  const turn = new Turn(cli, options, config);
  const opened = await openFor(cli, config, options, turn);
  try {
    const session = await sessionFor(cli, config, opened, options);
    return await turn.take(() => opened.agent.session(session).start(text, { files, ...output }));
  } finally {
    await opened.close();
  }
}
