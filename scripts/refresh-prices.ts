/**
 * Makes prices/table.json out of the table in the litellm package (MIT), and prints what has changed and where another
 * table (pi-ai's, MIT) says something else by more than 1 %: a person settles that in prices/overrides.json. Run by a
 * person, about once a month, never by tests or at run time; pip and npm bring both packages.
 *
 *     node scripts/refresh-prices.ts [LITELLM_VERSION]
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openEntry } from '../src/models/zip.ts';

/** Their provider -> ours, the name of the file in providers/; DashScope's regions are priced apart. */
const PROVIDERS: Record<string, string> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  deepseek: 'deepseek',
  moonshot: 'moonshot',
  qwen_ai_platform: 'dashscope',
  qwencloud: 'dashscope-intl',
  zai: 'zhipu',
  minimax: 'minimax',
  volcengine: 'ark',
  groq: 'groq',
  xai: 'xai',
  mistral: 'mistral',
};
const MODES = ['chat', 'responses'];
/** Made for something else than text with tools. */
const LEFT_OUT =
  /^ft:|audio|tts|realtime|lyria|robotics|search-preview|prompt-guard|embed|^gemini-exp|learnlm|deep-research|computer-use|beta/;
const TABLE = new URL('../prices/table.json', import.meta.url);

interface Theirs {
  litellm_provider?: string;
  mode?: string;
  max_input_tokens?: number;
  max_output_tokens?: number;
  supports_vision?: boolean;
  source?: string;
  tiered_pricing?: Record<string, unknown>[];
  off_peak_pricing?: Record<string, unknown> & { windows?: unknown };
  [price: string]: unknown;
}
interface Row {
  context: number;
  output?: number;
  [key: string]: unknown;
}

/** USD per million tokens; a price of 0 is taken for not known, unless in and out are both 0 for a model said to be free. */
function prices(theirs: Record<string, unknown>, suffix = ''): Record<string, number> {
  const million = (name: string) => {
    const value = theirs[`${name}${suffix}`];
    return typeof value === 'number' && value > 0 ? Number((value * 1e6).toPrecision(6)) : undefined;
  };
  const all = {
    in: million('input_cost_per_token'),
    out: million('output_cost_per_token'),
    read: million('cache_read_input_token_cost'),
    write: million('cache_creation_input_token_cost'),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<string, number>;
}

function tiers(theirs: Theirs): Record<string, number>[] {
  const listed = (theirs.tiered_pricing ?? []).flatMap((tier) => {
    const from = Array.isArray(tier.range) ? Number(tier.range[0]) : 0;
    return from > 0 ? [{ above: from, ...prices(tier) }] : [];
  });
  const steps = Object.keys(theirs).flatMap((key) => /^input_cost_per_token_above_(\d+)k_tokens$/.exec(key)?.[1] ?? []);
  return [...listed, ...steps.map((k) => ({ above: Number(k) * 1000, ...prices(theirs, `_above_${k}k_tokens`) }))];
}

function row(theirs: Theirs): Row | undefined {
  const first = theirs.tiered_pricing?.[0];
  const own = prices(first ? { ...theirs, ...first } : theirs);
  const more = tiers(theirs);
  const off = theirs.off_peak_pricing;
  if (!theirs.max_input_tokens) return undefined;
  return {
    context: theirs.max_input_tokens,
    ...(theirs.max_output_tokens ? { output: theirs.max_output_tokens } : {}),
    ...own,
    ...(more.length > 0 ? { tiers: more } : {}),
    ...(off ? { off_peak: { ...prices(off), windows: off.windows } } : {}),
    ...(theirs.supports_vision === undefined ? {} : { images: theirs.supports_vision }),
  };
}

function pick(all: Record<string, Theirs>): { models: Record<string, Row>; sources: Record<string, string> } {
  const models: Record<string, Row> = {};
  const sources: Record<string, string> = {};
  for (const [id, theirs] of Object.entries(all).sort(([a], [b]) => a.localeCompare(b))) {
    const provider = PROVIDERS[theirs.litellm_provider ?? ''];
    const name = id.replace(new RegExp(`^${theirs.litellm_provider}/`), '');
    if (!provider || !MODES.includes(theirs.mode ?? '') || LEFT_OUT.test(name)) continue;
    const made = row(theirs);
    if (!made) {
      process.stderr.write(`left out, no window known: ${id}\n`);
      continue;
    }
    models[`${provider}/${name}`] = made;
    if (theirs.source) sources[provider] ??= theirs.source;
  }
  // A dated name that says the same as the name without its date, and a region that says the same as the first one, say nothing.
  for (const [id, made] of Object.entries(models)) {
    const plain = id.replace(/-\d{4}-?\d{2}-?\d{2}$/, '').replace(/^dashscope-intl\//, 'dashscope/');
    if (plain !== id && JSON.stringify(models[plain]) === JSON.stringify(made)) delete models[id];
  }
  return { models, sources };
}

/** Where pi-ai's tables differ by more than 1 %. */
function differences(models: Record<string, Row>, folder: string): string[] {
  const files: Record<string, string> = { google: 'gemini', moonshotai: 'moonshot', zai: 'zhipu' };
  const data = join(folder, 'package/dist/providers/data');
  return readdirSync(data).flatMap((file) => {
    const provider = files[file.replace('.json', '')] ?? file.replace('.json', '');
    const listed: unknown = JSON.parse(readFileSync(join(data, file), 'utf8'));
    const found: string[] = [];
    JSON.stringify(listed, (_key, value: { id?: string; cost?: { input?: number; output?: number } }) => {
      const ours = value?.id === undefined ? undefined : models[`${provider}/${value.id}`];
      for (const [mine, theirs] of [
        [ours?.in, value?.cost?.input],
        [ours?.out, value?.cost?.output],
      ] as [number | undefined, number | undefined][])
        if (mine && theirs && Math.abs(mine - theirs) > mine / 100) found.push(`${provider}/${value.id}: ${mine} here, ${theirs} in pi-ai`);
      return value;
    });
    return found;
  });
}

const folder = mkdtempSync(join(tmpdir(), 'hermes-prices-'));
try {
  const version = process.argv[2];
  const run = (command: string, args: string[]) => execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  run('pip', ['download', '--no-deps', '-q', version ? `litellm==${version}` : 'litellm']);
  run('npm', ['pack', '--silent', '@earendil-works/pi-ai@1.6.0']);
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'))!;
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  run('tar', ['xzf', archive]);
  const entry = await openEntry(join(folder, wheel), 'litellm/model_prices_and_context_window_backup.json');
  const { models, sources } = pick(JSON.parse(await text(entry.stream)));
  entry.close();
  const before = JSON.parse(readFileSync(TABLE, { encoding: 'utf8', flag: 'a+' }) || '{"models":{}}') as { models: Record<string, Row> };
  for (const id of new Set([...Object.keys(before.models), ...Object.keys(models)])) {
    const [old, now] = [before.models[id], models[id]].map((each) => JSON.stringify(each));
    if (old !== now) process.stdout.write(`${old ? (now ? 'changed' : 'gone') : 'new'}: ${id}\n`);
  }
  for (const line of differences(models, folder)) process.stdout.write(`differs: ${line}\n`);
  const head = {
    as_of: new Date().toISOString().slice(0, 10),
    made_by: 'scripts/refresh-prices.ts',
    unit: 'USD per million tokens',
    source: {
      name: 'litellm',
      version: wheel.split('-')[1],
      sha256: createHash('sha256')
        .update(readFileSync(join(folder, wheel)))
        .digest('hex'),
      licence: 'MIT, see THIRD_PARTY_NOTICES.md',
    },
    sources,
  };
  const rows = Object.entries(models).map(([id, made]) => `  ${JSON.stringify(id)}: ${JSON.stringify(made)}`);
  const fields = Object.entries(head).map(([key, value]) => ` ${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  writeFileSync(TABLE, `{\n${[...fields, ` "models": {\n${rows.join(',\n')}\n }`].join(',\n')}\n}\n`);
  process.stdout.write(`${rows.length} models\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
