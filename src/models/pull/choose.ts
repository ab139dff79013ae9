/** Which file of a repository is meant. */

import { HermesError, nearest } from '../../kernel/errors.ts';

export interface ListedFile {
  path: string;
  bytes?: number;
  sha256?: string;
}

/** `from`: hf:OWNER/REPO. Of several the Q4_K_M one is taken. Throws HermesError with the names that are there. */
export function chooseFile(from: string, files: readonly ListedFile[], wanted: string | undefined): ListedFile {
  const models = files.filter(({ path }) => /\.gguf$/i.test(path));
  if (wanted !== undefined) {
    const found = models.find(({ path }) => path === wanted) ?? models.find(({ path }) => path.toLowerCase() === wanted.toLowerCase());
    if (found) return whole(found);
    const near = nearest(
      wanted,
      models.map(({ path }) => path),
    );
    throw missing(`${from} has no file ${wanted}`, models, near && `did you mean ${from}/${near}?`);
  }
  const alone = models.filter(({ path }) => !/mmproj/i.test(path)); // the eyes of a model are no model
  const usual = alone.filter(({ path }) => /q4_k_m/i.test(path));
  const [only] = alone.length === 1 ? alone : usual.length === 1 ? usual : [];
  if (only) return whole(only);
  if (alone.length === 0) throw missing(`${from} has no .gguf file`, models, 'such files often lie in a repository called NAME-GGUF');
  throw missing(`${from} has several models`, alone, `name one: hermes models pull ${from}/${alone[0]?.path}`);
}

/** One that was cut into numbered pieces is not joined by us. */
function whole<T extends { path: string }>(file: T): T {
  if (!/-\d{5}-of-\d{5}\.gguf$/i.test(file.path)) return file;
  throw new HermesError('model_in_pieces', `${file.path} is one of several pieces of a model, which are not joined here`, {
    kind: 'model',
    next: 'choose a smaller quantization, which is one file',
  });
}

function missing(what: string, files: readonly ListedFile[], next: string | undefined): HermesError {
  const names = files.map(({ path, bytes }) => (bytes === undefined ? path : `${path} (${Math.round(bytes / 1e6)} MB)`));
  const shown = names.length > 12 ? [...names.slice(0, 12), `and ${names.length - 12} more`] : names;
  return new HermesError('model_file_not_found', shown.length > 0 ? `${what}; there: ${shown.join(', ')}` : what, {
    kind: 'model',
    next: next ?? 'name one of these files',
  });
}
