/** Names of files that tools do not touch: what holds secrets is not read, what git or this program lives by is not written. */

import { homedir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';

/** Keys and passwords. `.env.example` and its like hold none. */
const SECRET =
  /^(?:\.env(?:\.(?!example$|sample$|template$|dist$).+)?|\.envrc|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|.+\.(?:key|pem|p12|pfx|jks|kdbx))$/;
/** Folders whose files are secret, whatever their names. `.hermes` holds what was said in every other run. */
const SECRET_FOLDERS = /^(?:\.hermes|\.ssh|\.gnupg|\.aws|\.kube|\.docker)$/;
/** Git's folder (its hooks and settings run code), this program's configuration, and the servers that it would start. */
const OWN = /^(?:\.git|\.gitmodules|\.mcp\.json|hermes_config\.\w+)$/;

/** Folders of the workspace whose files this program runs, or takes for instructions, by itself. */
const CODE = /^(?:tools|skills)$/;

/** The part of the path below `root` that keeps it from being read; undefined = it may be read. */
export function secretPart(root: string, path: string): string | undefined {
  const parts = partsOf(root, path);
  return (
    parts.find((part) => SECRET_FOLDERS.test(fold(part))) ?? parts.slice(-1).find((part) => SECRET.test(fold(part))) ?? ownFolder(path)
  );
}

/** The part that keeps it from being written. */
export function protectedPart(root: string, path: string): string | undefined {
  return partsOf(root, path).find((part) => [OWN, SECRET, SECRET_FOLDERS].some((names) => names.test(fold(part)))) ?? ownFolder(path);
}

/** Why a person has to agree to the writing of this file, whatever rules allow; undefined = rules may decide. */
export function codeReason(root: string, path: string, language: 'zh' | 'en'): string | undefined {
  const folder = partsOf(root, path).slice(0, -1)[0];
  if (folder === undefined || !CODE.test(fold(folder))) return undefined;
  return language === 'zh' ? `${folder}/ 中的文件会由本程序自行运行` : `what stands in ${folder}/ this program runs by itself`;
}

/** The user's configuration and cache of this program, when the workspace holds them. */
function ownFolder(path: string): string | undefined {
  const { XDG_CONFIG_HOME, XDG_CACHE_HOME } = process.env;
  const folders = [
    join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'hermes'),
    join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'hermes'),
  ];
  return folders.find((folder) => isWithin(resolve(folder), path));
}

export function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function partsOf(root: string, path: string): string[] {
  return relative(root, path).split(sep);
}

/**
 * As file systems that know no letter case (macOS, Windows) take a name: without invisible characters, dots and blanks at its end,
 * or the name of a stream; `git~1` is the short name that Windows gives `.git`.
 */
function fold(part: string): string {
  const plain = part
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/:.*$/s, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  return plain.replace(/^(git|env|hermes)~\d$/, '.$1');
}
