/**
 * Signatures: the end of a run's hash chain, signed with an Ed25519 key and kept beside its log as RUN_ID.sig. Whoever can write to
 * store and log can make a whole new chain; without the private key he cannot sign its end. The last signature is kept, no earlier one.
 */

import type { KeyObject } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { hashOfLine } from './events.ts';
import { type LogOptions, logPath } from './log.ts';
import type { EventStore, RunHead } from './store.ts';
import type { Problem } from './verify.ts';

/** What stands in RUN_ID.sig. */
interface Signature {
  run_id: string;
  /** The end of the run when it was signed. */
  seq: number;
  hash: string;
  algorithm: 'Ed25519';
  /** sha256 of the public key (SPKI, DER), to tell keys apart. */
  key: string;
  /** base64, over `signedText`. */
  signature: string;
}

/** A private key in PEM, as `openssl genpkey -algorithm ed25519` writes it. Throws a usage error that names the file. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  return readKey(file, 'private', 'openssl genpkey -algorithm ed25519 -out FILE');
}

/** A public key in PEM, as `openssl pkey -in FILE -pubout` writes it. */
export async function readPublicKey(file: string): Promise<KeyObject> {
  return readKey(file, 'public', 'openssl pkey -in PRIVATE -pubout -out FILE');
}

async function readKey(file: string, kind: 'private' | 'public', command: string): Promise<KeyObject> {
  const { createPrivateKey, createPublicKey } = process.getBuiltinModule('node:crypto');
  let cause: unknown;
  try {
    const text = await readFile(file, 'utf8');
    // A public key can be made from a private one; whoever only checks should not have that at hand.
    const isKind = kind === 'private' || !text.includes('PRIVATE KEY');
    const key = kind === 'private' ? createPrivateKey(text) : createPublicKey(text);
    if (isKind && key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    cause = error;
  }
  const unread = (cause as NodeJS.ErrnoException | undefined)?.syscall;
  throw new HermesError(
    'bad_signing_key',
    unread ? `${file} cannot be read (${(cause as Error).message})` : `${file} holds no ${kind} Ed25519 key in PEM`,
    {
      kind: 'usage',
      next: `make one with: ${command}`,
      cause,
    },
  );
}

export function signaturePath(directory: string, head: Pick<RunHead, 'run_id' | 'started'>): string {
  return logPath(directory, head).replace(/\.jsonl$/, '.sig');
}

/** Signs the end that the run has now. False when there is no such run. */
export async function signRun(store: EventStore, run_id: string, directory: string, key: KeyObject): Promise<boolean> {
  const head = await store.head(run_id);
  if (!head) return false;
  const { sign, createPublicKey } = process.getBuiltinModule('node:crypto');
  const signature: Signature = {
    run_id,
    seq: head.seq,
    hash: head.hash,
    algorithm: 'Ed25519',
    key: fingerprint(createPublicKey(key)),
    signature: sign(null, signedText(head), key).toString('base64'),
  };
  const path = signaturePath(directory, head);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.tmp`, `${JSON.stringify(signature)}\n`, { mode: 0o600 });
  await rename(`${path}.tmp`, path);
  return true;
}

/** Signs each run of this process as it ends; `close` waits for the last one. */
export function signEnds({ store, directory, report }: LogOptions, key: KeyObject): { close(): Promise<void> } {
  let signing = Promise.resolve();
  const sign = async (run_id: string) => {
    try {
      await signRun(store, run_id, directory, key);
    } catch (error) {
      report({ code: 'sign_failed', run_id, message: `run ${run_id} could not be signed: ${String(error)}` });
    }
  };
  const stop = store.watch((run_id, ended) => {
    if (ended) signing = signing.then(() => sign(run_id));
  });
  return {
    async close() {
      stop();
      await signing;
    },
  };
}

/** None = the run ends where it was signed with the private half of this key, and every event before that is the signed one. */
export async function checkSignature(store: EventStore, head: RunHead, directory: string, key: KeyObject): Promise<Problem[]> {
  const path = signaturePath(directory, head);
  let given: Partial<Signature>;
  try {
    given = { ...(JSON.parse(await readFile(path, 'utf8')) as Partial<Signature> | null) };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing)
      return [{ code: 'signature_missing', message: `${path} is missing: the run was not signed, or its signature was removed` }];
    return [{ code: 'signature_wrong', message: `${path} is no signature: ${(error as Error).message}` }];
  }
  if (!isSigned(given, head.run_id, key)) {
    const other = given.key === fingerprint(key) ? '' : ' with this key';
    return [{ code: 'signature_wrong', message: `${path} is not the signature of this run${other}` }];
  }
  const [line] = await store.lines(head.run_id, given.seq);
  const event = line === undefined ? undefined : hashOfLine(line);
  if (event?.seq !== given.seq || event.hash !== given.hash)
    return [{ code: 'signature_wrong', seq: given.seq, message: `event ${given.seq} is not the one that was signed (hash ${given.hash})` }];
  if (head.seq > given.seq)
    return [{ code: 'signature_behind', seq: given.seq, message: `the run is signed up to event ${given.seq}, it ends at ${head.seq}` }];
  return [];
}

function isSigned(given: Partial<Signature>, expected: string, key: KeyObject): given is Signature {
  const { run_id, seq, hash, signature } = given;
  if (run_id !== expected || seq === undefined || hash === undefined || typeof signature !== 'string') return false;
  const { verify } = process.getBuiltinModule('node:crypto');
  return verify(null, signedText({ run_id, seq, hash }), key, Buffer.from(signature, 'base64'));
}

function signedText({ run_id, seq, hash }: Pick<RunHead, 'run_id' | 'seq' | 'hash'>): Buffer {
  return Buffer.from(`hermes run ${JSON.stringify(run_id)}\nseq ${seq}\nhash ${hash}\n`);
}

function fingerprint(key: KeyObject): string {
  const { hash: digest } = process.getBuiltinModule('node:crypto');
  return digest('sha256', key.export({ type: 'spki', format: 'der' }), 'hex');
}
