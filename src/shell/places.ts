/** Where a path leads, by its letters: links are the business of the sandbox. */

import { posix } from 'node:path';
import type { ReasonName } from './reasons.ts';
import { UNKNOWN } from './words.ts';

export interface Ground {
  workspace: string;
  home: string;
  /** Where the command stands; undefined = it went to a folder that is not known. */
  folder: string | undefined;
  /** Absolute paths of folders whose code this program runs by itself. */
  codeFolders?: readonly string[];
}

const STREAMS = /^\/dev\/(?:null|stdout|stderr|stdin|tty|fd\/\d+|zero|u?random)$/;
const DEVICES = /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|dm-|md|mapper|mem|kmem|port)|^\/proc\/sys(?:rq)?|^\/sys\//;
const SYSTEM =
  /^(?:\/private)?\/(?:etc|boot|usr|bin|sbin|lib\w*|sys|proc|dev|opt|srv|root|run|var\/(?:spool|lib|log|db|run)|System|Library|Applications)(?:\/|$)/;
/** This program's store, logs and configuration, and what git runs by itself. */
const OWN = /(?:^|\/)(?:\.hermes|hermes_config\.\w+|\.mcp\.json|\.git\/(?:hooks|config|info|modules)|\.git$|\.gitmodules)(?:\/|$)/i;
const SETTINGS =
  /(?:^|\/)(?:\.env(?:\.[\w.-]+)?|\.envrc|\.ssh|authorized_keys|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.gitconfig|\.gnupg|\.aws|\.kube|\.docker|\.config|\.\w*(?:rc|profile|login|logout)|\.husky|\.github\/workflows|\.vscode|\.idea|crontab|sudoers)(?:\/|$)/i;
const SECRET =
  /(?:^|\/)(?:\.env(?:\.(?!example|sample|template|dist)[\w.-]+)?|\.ssh|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.gnupg|\.aws|\.kube|\.docker|\.hermes|id_(?:rsa|dsa|ecdsa|ed25519)\w*|[\w.-]+\.(?:pem|key|p12|pfx|jks|kdbx)|(?:credentials|secrets?)\.\w+|\.git-credentials)(?:\/|$)|\/(?:g?shadow|environ|credentials)-?$/i;
/** What this program takes for instructions or loads by itself, besides the folders of the configuration. */
const TAKEN = /\/(?:AGENTS\.md|CLAUDE\.md|\.agents|\.claude)(?:\/|$)/i;
const EVERYTHING = /^(?:\/\*?|\/(?:etc|usr|bin|lib\w*|boot|var|home|opt|root|System|Library|Users)\/?\*?)$/;

/** The absolute path; undefined when that is only known at run time. */
export function pathOf(text: string, ground: Ground): string | undefined {
  const plain = text.replace(/^~(?=\/|$)/, ground.home);
  if (plain.startsWith(UNKNOWN) || /^~/.test(plain)) return undefined;
  if (!plain.startsWith('/') && ground.folder === undefined) return undefined;
  const path = posix.resolve(ground.folder ?? '/', plain);
  const known = path.split(UNKNOWN)[0]!;
  return known === path ? path : `${known}${UNKNOWN}`;
}

/** What writing there means; undefined = nothing (a stream). */
export function writingTo(text: string, ground: Ground): ReasonName | undefined {
  if (STREAMS.test(text) || text === '-') return undefined;
  const path = pathOf(text, ground);
  if (path === undefined) return SETTINGS.test(text) || OWN.test(text) ? 'sensitive' : 'unresolved';
  if (/^\/dev\/(?:tcp|udp)\//.test(path)) return 'network';
  if (DEVICES.test(path)) return 'device';
  if (isWithin(ground.workspace, path)) {
    const name = path.slice(ground.workspace.length);
    if (OWN.test(name)) return 'own';
    if (ground.codeFolders?.some((folder) => isWithin(folder, path)) || TAKEN.test(name)) return 'taken';
    return SETTINGS.test(name) ? 'sensitive' : path.includes(UNKNOWN) ? 'unresolved' : 'writes';
  }
  if (OWN.test(path)) return 'own';
  if (SETTINGS.test(path) || SYSTEM.test(path)) return 'sensitive';
  return /^(?:\/private)?(?:\/var)?\/tmp\//.test(path) ? 'temporary' : 'outside';
}

/** What reading there means; undefined = nothing special: the sandbox decides what can be seen. */
export function readingFrom(text: string, ground: Ground): ReasonName | undefined {
  if (/^(?:\/dev\/(?:tcp|udp))\//.test(text)) return 'network';
  if (SECRET.test(text)) return 'secrets';
  const path = pathOf(text, ground);
  if (path === undefined) return text.startsWith('~') ? 'home' : undefined;
  if (SECRET.test(path)) return 'secrets';
  return !isWithin(ground.workspace, path) && isWithin(ground.home, path) ? 'home' : undefined;
}

/** The root, the home folder or one of the system's great folders, as a whole. */
export function isEverything(text: string, ground: Ground): boolean {
  const path = pathOf(text, ground);
  if (path === undefined) return false;
  return EVERYTHING.test(path) || path === ground.home || path === `${ground.home}/*`;
}

export function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith('/') ? root : `${root}/`);
}
