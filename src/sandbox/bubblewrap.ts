/** The arguments of bwrap for one command. What is not named here does not exist inside. */

import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxPolicy } from './types.ts';

/** Programs and libraries. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/opt', '/nix/store'];
/** Of /etc only what programs need to run: no shadow, no keys, no settings of services. */
const SETTINGS =
  'passwd group nsswitch.conf ld.so.cache ld.so.conf ld.so.conf.d alternatives ssl/certs ca-certificates pki/tls/certs localtime timezone locale.alias mime.types protocols services bash.bashrc profile java-17-openjdk java-21-openjdk os-release debian_version'.split(
    ' ',
  );
/** Bytes of /tmp, which is memory. */
const TEMPORARY = 512 * 1024 * 1024;
/** Kilobytes of data that one process may have, and blocks of 1,024 bytes of one file. */
const MOST_DATA = 4 * 1024 * 1024;
const MOST_FILE = 4 * 1024 * 1024;
const HOME = '/tmp/home';
/** Inside, a user who is nobody: also when the program runs as root. */
const NOBODY = 65534;

export const PROXY_SOCKET = '/tmp/.proxy.sock';
const PROXY = 'http://127.0.0.1:3128';

export interface Bubblewrap {
  /** Path of bwrap. */
  file: string;
  /** The most processes; the kernel does not count those of root. */
  processes: number;
  /** The file of a control group that counts them in any case. */
  group?: string;
  /** Path of the socket of the proxy, when there is a way out. */
  proxySocket?: string;
}

export function bubblewrapArguments(command: string, policy: SandboxPolicy, { file, processes, group, proxySocket }: Bubblewrap): string[] {
  const { workspace, folder } = policy;
  return [
    ...['bash', '--noprofile', '--norc', '-c', ENTER, 'bash', group ?? ''],
    ...startAs(workspace),
    file,
    ...isolation(),
    ...[...SYSTEM, ...SETTINGS.map((name) => `/etc/${name}`), dirname(process.execPath)].flatMap(readOnly),
    ...['--proc', '/proc', ...processFiles(), '--dev', '/dev'],
    ...['--size', String(TEMPORARY), '--perms', '1777', '--tmpfs', '/tmp', '--dir', HOME],
    ...policy.readable.flatMap(readOnly), // may lie in /tmp, or hold the workspace
    ...['--bind', workspace, workspace],
    ...foldersOf(policy).flatMap((path) => ['--bind', path, path]),
    ...policy.fixed.filter(isItself).flatMap(readOnly),
    ...policy.hidden.flatMap(hide),
    ...(proxySocket ? ['--bind', proxySocket, PROXY_SOCKET] : []),
    ...environment(proxySocket !== undefined),
    ...['--remount-ro', '/', '--chdir', folder],
    ...['bash', '--noprofile', '--norc', '-c', `${limits(processes)}${relay(proxySocket)}eval "$1"`, 'bash', command],
  ];
}

/**
 * Into the group, and the first to go when memory runs out. Root without a group gets only the time that nobody else wants. What whoever
 * started the program had left open would be open inside; sh can close single digits only.
 */
const ENTER =
  'for fd in $(ls /proc/self/fd); do if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi; done 2>/dev/null; ' +
  'echo 1000 >/proc/self/oom_score_adj; if [ -n "$1" ]; then echo $$ >"$1" || exit 126; ' +
  'elif [ "$(id -u)" = 0 ]; then chrt -a -i -p 0 $$ >/dev/null 2>&1; fi; shift; exec "$@"';

/**
 * Root has to become the owner of the workspace where that is somebody else: without its rights it could not write there. Where root
 * owns it, the user inside is `nobody` to all that looks, and root without any right to the kernel.
 */
function startAs(workspace: string): string[] {
  const { uid, gid } = lstatSync(workspace);
  if (process.getuid?.() !== 0 || uid === 0) return [];
  return ['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups'];
}

function isolation(): string[] {
  const names = ['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'];
  const id = String(process.getuid?.() || NOBODY);
  const user = ['--uid', id, '--gid', String(process.getgid?.() || NOBODY), '--cap-drop', 'ALL', '--disable-userns'];
  return [...names, ...user, '--hostname', 'sandbox', '--new-session', '--die-with-parent', '--clearenv'];
}

function readOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}

/** Folders around what is fixed: bound for themselves they cannot be renamed, and another put in their place. */
function foldersOf({ workspace, fixed }: SandboxPolicy): string[] {
  return [...new Set(fixed.map(dirname))].filter((path) => path.startsWith(join(workspace, '/')) && isItself(path));
}

/** What a link in the workspace leads to is not brought in. */
function isItself(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
}

function hide(path: string): string[] {
  // As a device it reads as empty and swallows what is written; bound without device rights it could not be opened.
  return lstatSync(path).isDirectory() ? ['--perms', '0555', '--tmpfs', path, '--remount-ro', path] : ['--dev-bind', '/dev/null', path];
}

let found: string[] | undefined;

/**
 * The kernel takes root without rights still for the owner of /proc/sys, through which it could have programs started outside
 * (core_pattern); bwrap covers it only for those who have rights. So all of /proc but the processes is read-only, and what only
 * root may read is empty.
 */
function processFiles(): string[] {
  if (process.getuid?.() !== 0) return [];
  found ??= readdirSync('/proc')
    .filter((name) => !/^\d+$/.test(name))
    .flatMap((name) => {
      const path = join('/proc', name);
      const stats = lstatSync(path);
      if (stats.isDirectory()) return ['--ro-bind', path, path];
      if (!stats.isFile()) return [];
      return stats.mode & 0o004 ? (stats.mode & 0o222 ? ['--ro-bind', path, path] : []) : ['--ro-bind', '/dev/null', path];
    });
  return found;
}

function environment(hasProxy: boolean): string[] {
  const set: Record<string, string> = {
    PATH: `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME,
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    USER: 'sandbox',
    HERMES_SANDBOX: '1',
  };
  if (hasProxy) for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY']) set[name] = PROXY;
  return Object.entries(set).flatMap(([name, value]) => ['--setenv', name, value]);
}

/** Hard limits of each process: they hold also between two looks from outside. */
function limits(processes: number): string {
  return `ulimit -c 0; ulimit -d ${MOST_DATA}; ulimit -f ${MOST_FILE}; ulimit -u ${processes} 2>/dev/null; `;
}

function relay(proxySocket: string | undefined): string {
  if (proxySocket === undefined) return '';
  const listen = 'TCP4-LISTEN:3128,bind=127.0.0.1,reuseaddr,fork';
  return `(socat ${listen} UNIX-CONNECT:${PROXY_SOCKET} >/dev/null 2>&1 </dev/null &); for i in 1 2 3 4 5 6 7 8 9 10; do (: </dev/tcp/127.0.0.1/3128) 2>/dev/null && break; sleep 0.05; done; `;
}
