/** `hermes chat`: a talk. In a terminal with a prompt; in a pipe each line is a request. */

import type { OpenedAgent } from '../../agent/open.ts';
import type { Session } from '../../agent/session.ts';
import type { Attached } from '../attach.ts';
import type { Cli, ExitStatus } from '../context.ts';
import { printError, toldError } from '../errors.ts';
import { configFor, openFor, sessionFor } from '../open.ts';
import type { RunOptions } from '../options.ts';
import { type LineSource, pipedLines, terminalLines } from '../prompt.ts';
import { readFiles } from '../request.ts';
import { table } from '../text.ts';
import { Turn } from '../turn.ts';

/** The talk as it stands; the commands change it. */
interface Talk {
  cli: Cli;
  opened: OpenedAgent;
  turn: Turn;
  session: Session;
}

export async function chatCommand(cli: Cli, options: RunOptions): Promise<ExitStatus> {
  const files = await readFiles(options.file ?? []);
  const config = await configFor(cli, options);
  const turn = new Turn(cli, options, config);
  const opened = await openFor(cli, config, options, turn);
  try {
    const session = opened.agent.session(await sessionFor(cli, config, opened, options));
    if (!options.quiet) cli.terminal.err(`${cli.t('chat.hello', { session: session.id })}\n`);
    const talk: Talk = { cli, opened, turn, session };
    return await converse(talk, cli.terminal.canAsk ? terminalLines(cli) : pipedLines(), files);
  } finally {
    await opened.close();
  }
}

/** Ends with the status of the last request that failed, 130 after Ctrl-C twice, else 0. */
async function converse(talk: Talk, lines: LineSource, files: Awaited<ReturnType<typeof readFiles>>): Promise<ExitStatus> {
  const { cli } = talk;
  let status: ExitStatus = 0;
  let attached = files;
  for (let interrupted = false; ; ) {
    const entry = await lines.next();
    if (typeof entry === 'string' && cli.terminal.canAsk) cli.terminal.err('\n'); // leaves the line of the prompt
    if (entry === 'end') return status;
    if (entry === 'interrupt') {
      if (interrupted) return 130;
      interrupted = true;
      cli.terminal.err(`${cli.t('chat.again')}\n`);
      continue;
    }
    interrupted = false;
    const typed = entry.text.trim();
    if (typed === '') continue;
    const given = await withImages(talk, typed);
    if (!given) {
      status = 2;
      continue;
    }
    attached = [...attached, ...given.files];
    if (given.isOnlyPaths) {
      cli.terminal.err(`${cli.t('chat.attachedNext')}\n`);
      continue;
    }
    const { text } = given;
    if (text.startsWith('/') && !text.includes('\n')) {
      if (!command(talk, text)) return status;
      continue;
    }
    const ended = await answer(talk, text, attached);
    attached = [];
    if (ended !== 0) status = ended;
    if (ended === 143) return 143;
  }
}

/** Paths of images in the text become attachments, which is said; undefined when one of them cannot be used, which is said, too. */
async function withImages({ cli }: Talk, typed: string): Promise<Attached | undefined> {
  const { attachImages, describeAttached } = await import('../attach.ts');
  try {
    const given = await attachImages(typed);
    for (const file of given.files) cli.terminal.err(`${describeAttached(cli, file)}\n`);
    return given;
  } catch (error) {
    printError(cli, toldError(cli, error));
    return undefined;
  }
}

/** A request that cannot even begin does not end the talk. */
async function answer({ cli, turn, session }: Talk, text: string, files: Awaited<ReturnType<typeof readFiles>>): Promise<ExitStatus> {
  try {
    return await turn.take(() => session.start(text, { files }));
  } catch (error) {
    printError(cli, toldError(cli, error));
    return 1;
  }
}

/** False ends the talk. */
function command(talk: Talk, text: string): boolean {
  const { cli, opened } = talk;
  const [name] = text.slice(1).split(/\s+/, 1);
  switch (name) {
    case 'exit':
    case 'quit':
      return false;
    case 'new':
      talk.session = opened.agent.session();
      cli.terminal.err(`${cli.t('chat.new', { session: talk.session.id })}\n`);
      return true;
    case 'tools':
      cli.terminal.err(
        table(
          opened.tools.map(({ info }) => [info.name, info.description]),
          cli.terminal.columns,
        ),
      );
      return true;
    case 'session':
      cli.terminal.err(`${talk.session.id}\n`);
      return true;
    case 'help':
      cli.terminal.err(`${cli.t('chat.help')}\n`);
      return true;
    default:
      cli.terminal.err(`${cli.t('chat.unknown', { name: text })}\n`);
      return true;
  }
}
