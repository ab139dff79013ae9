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

/** What this program takes for instructions or loads as code by itself, wherever it stands; the folders that are configured come on top. */
const TAKEN = /^(?:agents\.md|claude\.md|\.agents|\.claude|node_modules)$/;

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

/**
 * Why a person has to agree to the writing of this file, whatever rules allow; undefined = rules may decide. `folders`: real paths of
 * those whose code runs by itself.
 */
export function codeReason(root: string, path: string, folders: readonly string[], language: 'zh' | 'en'): string | undefined {
  const parts = partsOf(root, path).map(fold);
  const holds = (folder: string) =>
    isWithin(root, folder) && partsOf(root, folder).every((part, at) => part === '' || fold(part) === parts[at]);
  const found = folders.find((folder) => folder !== path && holds(folder));
  if (found !== undefined) {
    const name = `${relative(root, found) || '.'}/`;
    return language === 'zh' ? `${name} 中的文件会由本程序自行运行` : `what stands in ${name} this program runs by itself`;
  }
  const taken = partsOf(root, path).find((part) => TAKEN.test(fold(part)));
  if (taken === undefined) return undefined;
  return language === 'zh' ? `本程序会自行采用 ${taken}` : `this program takes up ${taken} by itself`;
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
