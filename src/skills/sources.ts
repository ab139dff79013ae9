/** Where a skill is added from: a folder, an archive, a git repository or an npm package. Gives its files; runs nothing of it. */

import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { MOST_BYTES, readFolder, refused, type SkillFile } from './files.ts';
import { readTar } from './tar.ts';

/** Starts one outside program (git, npm); its exit status and what it wrote. */
export type RunProgram = (
  program: string,
  args: readonly string[],
  options: { environment: NodeJS.ProcessEnv; signal: AbortSignal },
) => Promise<{ code: number; output: string }>;

export interface Fetched {
  /** Without the folder that archives have at their top. */
  files: SkillFile[];
  /** What the folder of a skill at the top is called when nothing better is known. */
  name: string;
  /** Of a git repository. */
  commit?: string;
}

/** Milliseconds that git or npm may take. */
const TIME_LIMIT = 180_000;
const GIT_ADDRESS = /^(?:git\+)?(?:https?|ssh|git|file):\/\/|^[\w.-]+@[\w.-]+:/;
const REASON = /^(?:ssh|fatal|error|.*: Permission denied|npm (?:error|ERR!)(?! code)):? /;
const NPM_NAME = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~<>=*|-]+)?$/;

interface SourceOptions {
  cwd: string;
  /** Folder within it that is meant: of a git repository nothing else is looked at. */
  path?: string;
  run: RunProgram;
}

/** `source`: a path, `npm:NAME@VERSION`, or an address or path of a git repository, which may end in #REF. Throws HermesError. */
export async function fetchSource(source: string, { cwd, path: part, run }: SourceOptions): Promise<Fetched> {
  if (source.trim() === '') throw unknownSource(JSON.stringify(source));
  if (source.startsWith('npm:')) return inTemporary((folder) => fromNpm(source.slice('npm:'.length), folder, run));
  const path = resolve(cwd, source.startsWith('~/') ? join(homedir(), source.slice(2)) : source);
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return { files: inPackage(await readArchive(path)), name: basename(path).replace(/\.(?:tgz|tar(?:\.gz)?)$/, '') };
  if (found?.isDirectory() && !(await isBare(path))) return { files: await readFolder(path, ['node_modules']), name: basename(path) };
  const { address, ref } = split(source);
  const isPath = !GIT_ADDRESS.test(address);
  const repository = isPath ? resolve(cwd, address) : address.replace(/^git\+/, '');
  if (isPath && !(await stat(repository).catch(() => undefined))?.isDirectory()) throw unknownSource(source);
  return inTemporary((folder) => fromGit(repository, ref, plainPath(part), folder, run));
}

function split(source: string): { address: string; ref: string } {
  const at = source.lastIndexOf('#');
  return at < 0 ? { address: source, ref: 'HEAD' } : { address: source.slice(0, at), ref: source.slice(at + 1) || 'HEAD' };
}

/** The folder of a bare repository is no folder of skills. */
async function isBare(path: string): Promise<boolean> {
  const names = await readdir(path);
  return ['HEAD', 'objects', 'refs'].every((name) => names.includes(name));
}

/**
 * One commit, as an archive: no working tree is made, so that no hook, filter or link of the repository does anything. Submodules are not
 * followed.
 */
async function fromGit(repository: string, ref: string, part: string, folder: string, run: RunProgram): Promise<Fetched> {
  if (ref.startsWith('-') || repository.startsWith('-'))
    throw new HermesError('bad_source', `${JSON.stringify(ref)} is no branch, tag or commit`, { kind: 'usage' });
  const [git, archive] = [join(folder, 'git'), join(folder, 'files.tar')];
  const variables = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^GIT_(?!SSH|SSL|PROXY|CONFIG)/.test(name)));
  const environment = { ...variables, GIT_TERMINAL_PROMPT: '0', GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh', LC_ALL: 'C.UTF-8' };
  const call = async (...args: string[]) => {
    const { code, output } = await started(run, 'git', args, environment);
    if (code === 0) return output.trim();
    throw new HermesError('git_failed', `git cannot get ${repository} at ${ref}: ${lastLine(output)}`, {
      kind: 'usage',
      next: 'check the address, the branch, tag or commit after #, and that git may read it from here',
    });
  };
  await call('init', '--quiet', '--bare', '--template=', git);
  await call('-C', git, 'fetch', '--quiet', '--depth=1', '--no-tags', '--no-recurse-submodules', '--', repository, ref);
  const commit = await call('-C', git, 'rev-parse', 'FETCH_HEAD');
  const name = basename(repository).replace(/\.git$/, '');
  const only = part === '' ? [] : ['--', part];
  if (part !== '' && (await call('--literal-pathspecs', '-C', git, 'ls-tree', commit, ...only)) === '') return { files: [], name, commit };
  await call('--literal-pathspecs', '-C', git, 'archive', '--format=tar', '-o', archive, commit, ...only);
  return { files: await readArchive(archive), name, commit };
}

/** The archive as npm has it: nothing is installed, and no script of the package runs. */
async function fromNpm(spec: string, folder: string, run: RunProgram): Promise<Fetched> {
  if (!NPM_NAME.test(spec))
    throw new HermesError('bad_source', `${JSON.stringify(spec)} is no npm package: expected NAME or NAME@VERSION`, { kind: 'usage' });
  const args = ['pack', spec, '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const { code, output } = await started(run, 'npm', args, { ...process.env, npm_config_update_notifier: 'false' });
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (code !== 0 || archive === undefined) {
    throw new HermesError('npm_failed', `npm cannot get ${spec}: ${lastLine(output)}`, {
      kind: 'usage',
      next: 'check the name and version, and that the registry can be reached',
    });
  }
  const name = spec.replace(/(?!^)@.*$/, '').replace(/^.*\//, '');
  return { files: inPackage(await readArchive(join(folder, archive))), name };
}

async function readArchive(file: string): Promise<SkillFile[]> {
  if ((await stat(file)).size > 2 * MOST_BYTES) throw refused('it is far too large'); // headers and padding come on top of the files
  return readTar(await readFile(file));
}

/** A folder within a source, as archives name it; '' = all of it. */
export function plainPath(path = '.'): string {
  return path.replace(/^(?:\.?\/)+|(?:\/\.?)+$/g, '').replace(/^\.$/, '');
}

/** npm puts everything under one folder, mostly `package`. */
function inPackage(files: readonly SkillFile[]): SkillFile[] {
  const top = files[0]?.path.split('/')[0];
  const isOne = files.every(({ path }) => path.startsWith(`${top}/`));
  return isOne ? files.map((file) => ({ ...file, path: file.path.slice(top!.length + 1) })) : [...files];
}

async function started(run: RunProgram, program: string, args: readonly string[], environment: NodeJS.ProcessEnv) {
  try {
    return await run(program, args, { environment, signal: AbortSignal.timeout(TIME_LIMIT) });
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const message = isMissing ? `${program} is not here` : `${program} did not end within ${TIME_LIMIT / 1000} s`;
    throw new HermesError('no_program', message, { kind: 'usage', next: isMissing ? `install ${program}` : 'try again', cause });
  }
}

async function inTemporary(job: (folder: string) => Promise<Fetched>): Promise<Fetched> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-skill-'));
  try {
    return await job(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The reason stands before the advice: of ssh, of git, of npm (after its code). */
function lastLine(output: string): string {
  const lines = output.trim().split('\n');
  return (lines.find((line) => REASON.test(line)) ?? lines.at(-1) ?? '').trim() || 'it says nothing';
}

function unknownSource(source: string): HermesError {
  const next = NPM_NAME.test(source)
    ? `for an npm package write npm:${source}; else name a folder, an archive or a git repository`
    : 'name a folder, a .tgz archive, npm:NAME, or a git repository (address or path, with #REF where one is meant)';
  return new HermesError('no_source', `there is no ${source} here`, { kind: 'usage', next });
}
