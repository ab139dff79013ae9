/** Runs a shell command in the workspace, in a sandbox. What the command would do is judged before anybody is asked. */

import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { JsonObject } from '../src/kernel/types.ts';
import { findSecrets } from '../src/sandbox/hide.ts';
import { openSandbox, type SandboxPolicy } from '../src/sandbox/open.ts';
import { loadJudge, type Verdict } from '../src/shell/judge.ts';
import { type ExecOptions, type ExecResult, type Judgement, type ToolContext, tool } from '../src/tools/define.ts';
import { badSetting } from '../src/tools/needs.ts';
import { isWithin, secretPart } from '../src/tools/protected.ts';
import { readablePath, realPlace } from '../src/tools/workspace.ts';

const SECONDS = 60;
const MOST_SECONDS = 600;
/** Bytes of each stream that are kept, and of both that may come at all. */
const KEPT = 200_000;
const MOST_OUTPUT = 200_000_000;
/** What this program or git would take up by itself: it cannot be changed inside, nor made. */
const OWN = ['hermes_config.toml', '.env', '.hermes', '.mcp.json'];
/** `commondir` says where else git finds its settings and hooks. */
const GIT = ['.git/hooks', '.git/config', '.git/commondir'];
/** What this program runs or takes for instructions, besides the folders of the configuration: so for commands that no person was asked about. */
const TAKEN = ['.agents', '.claude', 'AGENTS.md', 'CLAUDE.md'];
/** So for commands that neither a person nor a rule has let through. */
const GIT_CODE = ['.git/modules'];

export default tool({
  name: 'shell',
  description:
    'Runs a bash command in the workspace, in a sandbox without network, home folder and keys, and gives exit code and output. Use it for ' +
    'builds, tests, git and searches, which run at once when the command is plain; others are asked about first.',
  level: 'dangerous',
  settingNames: ['sandbox', 'allow_hosts', 'readable', 'max_processes', 'max_memory_mb'],
  resultCharacters: 8_000,
  private: true,
  timeoutMs: (MOST_SECONDS + 10) * 1000,
  resource: 'workspace files',
  input: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'a bash command line, such as: git status', minLength: 1 },
      timeout_seconds: {
        type: 'integer',
        description: 'seconds after which it is ended',
        minimum: 1,
        maximum: MOST_SECONDS,
        default: SECONDS,
      },
      cwd: { type: 'string', description: 'folder in the workspace where it starts; default: the workspace', minLength: 1 },
    },
    required: ['command'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      exit_code: { type: ['integer', 'null'] },
      stdout: { type: 'string' },
      stderr: { type: 'string' },
      next: { type: 'string' },
    },
  },
  aliases: { cmd: 'command', script: 'command', timeout: 'timeout_seconds', dir: 'cwd', 命令: 'command' },
  keywords: 'shell bash command terminal run execute build test git npm make install compile 命令 终端 运行 执行 编译 构建 测试',
  examples: [
    {
      request: 'Which files has git seen change?',
      arguments: { command: 'git status --short' },
      result: { exit_code: 0, stdout: ' M a.txt\n', stderr: '' },
      answer: 'a.txt has changed.',
    },
    {
      request: '当前目录有多少个 Markdown 文件？',
      arguments: { command: 'ls *.md | wc -l' },
      result: { exit_code: 0, stdout: '3\n', stderr: '' },
      answer: '有 3 个。',
    },
  ],
  async judge({ command, cwd = '.' }, { workspace, codeFolders, settings, language }): Promise<Judgement> {
    const { isSandboxed, hosts } = readSettings(settings);
    if (isSandboxed) await openSandbox();
    const folder = await readablePath(workspace, cwd);
    const root = await readablePath(workspace, '.');
    const { judge } = await loadJudge();
    const sandboxed = isSandboxed && hosts.length === 0;
    const places = await codePlaces(root, codeFolders);
    const verdict = judge(plain(command), { workspace: root, folder, codeFolders: places, sandboxed, language });
    return judgement(verdict, isSandboxed, hosts, language);
  },
  async execute({ command, timeout_seconds = SECONDS, cwd = '.' }, { exec, context, approved }) {
    const folder = await readablePath(context.workspace, cwd);
    const settings = readSettings(context.settings);
    const options: ExecOptions = {
      cwd: folder,
      maxBytes: KEPT,
      timeoutMs: timeout_seconds * 1000,
      onlyEnv: true,
      limits: { processes: settings.processes, memoryBytes: settings.memoryBytes, outputBytes: MOST_OUTPUT },
    };
    if (settings.isSandboxed) return inside(plain(command), options, settings, { exec, context, approved });
    const env = { PATH: process.env.PATH ?? '', HOME: homedir(), LANG: 'C.UTF-8', TERM: 'dumb' };
    return result(await exec(['bash', '--noprofile', '--norc', '-c', plain(command)], { ...options, env }), timeout_seconds);
  },
});

/** Lines as bash takes them: models on Windows write CRLF. */
function plain(command: string): string {
  return command.replaceAll('\r\n', '\n');
}

// ---- settings: [tools.shell] ---------------------------------------------------------------------------

interface Settings {
  isSandboxed: boolean;
  hosts: string[];
  readable: string[];
  processes: number;
  memoryBytes: number;
}

function readSettings(given: JsonObject): Settings {
  const { sandbox = true, allow_hosts: hosts = [], readable = [], max_processes: processes = 256, max_memory_mb: memory = 4096 } = given;
  const wrong = (name: string, expected: string) => badSetting('shell', name, expected, given[name]);
  if (typeof sandbox !== 'boolean') throw wrong('sandbox', 'true or false');
  if (!isTexts(hosts)) throw wrong('allow_hosts', 'a list of hosts');
  if (!isTexts(readable) || readable.some((path) => !path.startsWith('/'))) throw wrong('readable', 'a list of absolute paths');
  if (!Number.isInteger(processes) || (processes as number) < 8) throw wrong('max_processes', 'a whole number from 8');
  if (!Number.isInteger(memory) || (memory as number) < 64) throw wrong('max_memory_mb', 'a whole number from 64');
  return { isSandboxed: sandbox, hosts, readable, processes: processes as number, memoryBytes: (memory as number) * 1024 * 1024 };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

// ---- before it runs ------------------------------------------------------------------------------------

const WORDS = {
  en: {
    open: 'NO SANDBOX: it can read and change all that you can, and use the network',
    never: 'a person has to look at this command',
    several: 'it does more than one thing: a rule for one does not cover the others',
    hosts: 'can reach',
    marks: { allow: 'free', ask: 'asks', deny: 'refused' },
  },
  zh: {
    open: '没有沙箱：它能读取和修改你能碰到的一切，并能访问网络',
    never: '这条命令必须由人查看',
    several: '它不止做一件事：针对其中一件的规则管不到其余的',
    hosts: '可访问',
    marks: { allow: '放行', ask: '询问', deny: '拒绝' },
  },
} as const;

/** A rule is written for one command; what it was not written for is asked about: more commands, redirections, structures. */
function judgement(verdict: Verdict, isSandboxed: boolean, hosts: readonly string[], language: 'zh' | 'en'): Judgement {
  const words = WORDS[language] ?? WORDS.en;
  const reasons = verdict.reasons.map(({ command, why }) => `${command.slice(0, 80)}: ${why}`).join('; ');
  const lines = verdict.commands.map(
    ({ command, why, decision }, index) => `${index + 1}. [${words.marks[decision]}] ${command}\n   ${why}`,
  );
  if (hosts.length > 0) lines.unshift(`${words.hosts}: ${hosts.join(', ')}`);
  if (!isSandboxed) lines.unshift(words.open);
  const preview = lines.join('\n');
  if (verdict.decision === 'deny') return { level: 'dangerous', deny: reasons, preview };
  if (!isSandboxed) return { level: 'dangerous', ask: words.open, preview };
  if (verdict.decision === 'allow') return { level: 'read', preview };
  const ask = verdict.never_auto ? `${words.never}: ${reasons}` : verdict.commands.length > 1 ? `${words.several}: ${reasons}` : undefined;
  return { level: verdict.level, preview, ...(ask === undefined ? {} : { ask }) };
}

// ---- while it runs -------------------------------------------------------------------------------------

type Call = Pick<ToolContext, 'exec' | 'context'> & { approved: true | undefined };

async function inside(command: string, options: ExecOptions, settings: Settings, { exec, context, approved }: Call) {
  const sandbox = await openSandbox({ processes: settings.processes, memoryBytes: settings.memoryBytes });
  const workspace = await readablePath(context.workspace, '.');
  const { judge } = await loadJudge();
  const isFree = judge(command, { workspace, folder: options.cwd!, sandboxed: settings.hosts.length === 0 }).decision === 'allow';
  const code = approved ? [] : [...(await codePlaces(workspace, context.codeFolders)), ...TAKEN.map((path) => join(workspace, path))];
  const kept = [...ownPaths(workspace, isFree), ...code];
  const policy: SandboxPolicy = {
    workspace,
    folder: options.cwd!,
    hidden: findSecrets(workspace, (path) => secretPart(workspace, path) !== undefined),
    fixed: kept,
    unmade: kept,
    readable: settings.readable.filter((path) => !isWithin(path, workspace)),
    hosts: settings.hosts,
  };
  const { argv, env, done } = await sandbox.prepare(command, policy);
  let made: string[] = [];
  const end = () =>
    done().then((names) => {
      made = names;
    });
  const ran = await exec(argv, { ...options, env }).finally(end);
  const told = made.map((path) => relative(workspace, path)).join(', ');
  const wantsNetwork = settings.hosts.length === 0 && ran.code !== 0 && NO_NETWORK.test(ran.stderr + ran.stdout);
  return {
    ...result(ran, options.timeoutMs! / 1000),
    ...(told ? { renamed: `what it made and must not make is now ${told}` } : {}),
    ...(wantsNetwork ? { next: 'commands here have no network: another tool may reach the address, or tell the user' } : {}),
  };
}

/** What programs say without one. */
const NO_NETWORK =
  /could not resolve host|temporary failure in name resolution|name or service not known|network is unreachable|EAI_AGAIN|getaddrinfo/i;

/** A `.git` that is a file names the folder that counts. Where there is none, only a person can want one. */
function ownPaths(workspace: string, isFree: boolean): string[] {
  const git = lstatSync(join(workspace, '.git'), { throwIfNoEntry: false });
  const inGit = git?.isDirectory() ? [...GIT, ...(isFree ? GIT_CODE : [])] : git || isFree ? ['.git'] : [];
  return [...OWN, ...inGit].map((path) => join(workspace, path));
}

/** Folders of code in the workspace: as they are named, and where links lead. */
async function codePlaces(workspace: string, folders: readonly string[]): Promise<string[]> {
  const named = folders.map(async (folder) => join(await realPlace(dirname(folder)), basename(folder)));
  const places = await Promise.all([...named, ...folders.map(realPlace)]);
  return [...new Set(places)].filter((place) => isWithin(workspace, place));
}

const ENDED = {
  time: (seconds: number) => `it was ended after ${seconds} s; raise timeout_seconds or do less`,
  processes: () => 'it was ended because it started too many processes',
  memoryBytes: () => 'it was ended because it used too much memory',
  outputBytes: () => 'it was ended because it wrote too much; filter the output',
};

function result({ code, stdout, stderr, truncated, ended }: ExecResult, seconds: number): JsonObject {
  return {
    exit_code: ended ? null : code,
    stdout,
    stderr,
    ...(truncated ? { cut: `only the first ${KEPT} bytes of each stream are here` } : {}),
    ...(ended ? { ended: ENDED[ended](seconds) } : {}),
  };
}
