/** Whether there is a sandbox on this machine, and how a command is started in it. Without one nothing is started: it fails closed. */

import { constants, existsSync, mkdtempSync } from 'node:fs';
import { access, chmod, lstat, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { bubblewrapArguments } from './bubblewrap.ts';
import { openGroup } from './cgroup.ts';
import { openProxy } from './proxy.ts';
import type { Prepared, Sandbox, SandboxPolicy } from './types.ts';
import { watchUnmade } from './unmade.ts';

export type { SandboxPolicy };

export interface SandboxOptions {
  /** Where programs are looked for; default: that of the process. */
  path?: string;
  /** The most processes of one command; default 256. */
  processes?: number;
  /** The most memory of one command, where a control group can hold it; default 4 GB. */
  memoryBytes?: number;
}

const MOST_PROCESSES = 256;
const MOST_MEMORY = 4 * 1024 ** 3;
/** Processes that the kernel lets through beyond the limit: who looks from outside then sees that it was passed, and ends it. */
const BEYOND = 32;
/** Milliseconds that the trial may take. */
const TRIAL = 10_000;

const known = new Map<string, Promise<Sandbox>>();

/** The trial is made once for each path. Throws `no_sandbox`. */
export function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { path = process.env.PATH ?? '', processes = MOST_PROCESSES, memoryBytes = MOST_MEMORY } = options;
  const key = `${processes} ${memoryBytes} ${path}`;
  const opening = known.get(key) ?? open({ path, processes, memoryBytes });
  known.set(key, opening);
  opening.catch(() => known.delete(key)); // it may be installed meanwhile
  return opening;
}

async function open(limits: Required<SandboxOptions>): Promise<Sandbox> {
  if (process.platform === 'darwin') return import('./seatbelt.ts').then(({ openSeatbelt }) => openSeatbelt());
  if (process.platform !== 'linux') throw missing('there is no sandbox for this system', 'run it in Linux (on Windows: in WSL 2)');
  const file = await programIn(limits.path, 'bwrap');
  if (!file) throw missing('bubblewrap is not installed', installCommand('bubblewrap'));
  const { code, stdout, stderr } = await trial(file);
  if (code !== 0) throw missing(`bubblewrap cannot start here: ${stderr.trim().split('\n')[0] ?? `exit ${code}`}`, REMEDY);
  return {
    name: stdout.trim(),
    prepare: (command, policy) => prepare(command, policy, { file, ...limits }),
  };
}

const REMEDY =
  'let it make user namespaces: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (or kernel.unprivileged_userns_clone=1); in a container: --security-opt seccomp=unconfined';

function missing(what: string, next: string): HermesError {
  return new HermesError('no_sandbox', `there is no sandbox for commands here: ${what}`, { kind: 'usage', next });
}

/** The command for this system's package manager. */
export function installCommand(name: string): string {
  const managers: [string, string][] = [
    ['/usr/bin/apt-get', 'apt-get install -y'],
    ['/usr/bin/dnf', 'dnf install -y'],
    ['/usr/bin/pacman', 'pacman -S --noconfirm'],
    ['/sbin/apk', 'apk add'],
    ['/usr/bin/zypper', 'zypper install -y'],
  ];
  const manager = managers.find(([file]) => existsSync(file))?.[1];
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  return manager ? `${sudo}${manager} ${name}` : `install ${name} with the package manager of this system`;
}

async function programIn(path: string, name: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere && folder !== '') return file;
  }
  return undefined;
}

function trial(file: string): Promise<{ code: number; stdout: string; stderr: string }> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const roots = ['/usr', '/bin', '/lib', '/lib64', '/nix/store'].flatMap((path) => ['--ro-bind-try', path, path]);
  const isolated = ['--unshare-user', '--unshare-pid', '--unshare-net', '--disable-userns', ...roots, '--proc', '/proc', '--dev', '/dev'];
  const run = (args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(file, args, { timeout: TRIAL, env: {} }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) || 1 : 0, stdout, stderr }),
      );
    });
  return run([...isolated, 'bash', '-c', ':']).then(async (result) => (result.code === 0 ? run(['--version']) : result));
}

type Here = Required<SandboxOptions> & { file: string };

async function prepare(command: string, policy: SandboxPolicy, here: Here): Promise<Prepared> {
  const { workspace, hosts } = policy;
  if (isTooWide(workspace)) {
    throw new HermesError('workspace_too_wide', `${workspace} holds the home folder: a command there could read all keys in it`, {
      kind: 'usage',
      next: 'start in the folder of one project, or with -C FOLDER',
    });
  }
  const way = hosts.length > 0 ? await wayOut(hosts, workspace, here.path) : undefined;
  const unmade = watchUnmade(policy.unmade);
  const { file, memoryBytes } = here;
  const processes = here.processes + BEYOND;
  const group = process.getuid?.() === 0 ? openGroup(processes, memoryBytes) : undefined;
  const places = { ...(group ? { group: group.procs } : {}), ...(way ? { proxySocket: way.socket } : {}) };
  const argv = bubblewrapArguments(command, policy, { file, processes, ...places });
  // bwrap hands its own environment to the first process inside, whose memory others there can read: so it gets none.
  return {
    argv,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    async done() {
      await Promise.all([way?.close(), group?.close()]);
      return unmade();
    },
  };
}

function isTooWide(workspace: string): boolean {
  return workspace === '/' || `${homedir()}/`.startsWith(`${workspace}/`);
}

/** A proxy for one command, on a socket in a folder that only the user of the command can enter. */
async function wayOut(hosts: readonly string[], workspace: string, path: string): Promise<{ socket: string; close(): Promise<void> }> {
  if (!(await programIn(path, 'socat'))) throw missing('socat, its way to the network, is not installed', installCommand('socat'));
  const folder = mkdtempSync(join(tmpdir(), 'hermes-proxy-'));
  const socket = join(folder, 'socket');
  const proxy = await openProxy(socket, hosts);
  const { uid } = await lstat(workspace);
  if (process.getuid?.() === 0 && uid !== 0) {
    const { chown } = await import('node:fs/promises');
    for (const one of [folder, socket]) await chown(one, uid, -1);
  }
  await chmod(folder, 0o700);
  return {
    socket,
    async close() {
      await proxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
