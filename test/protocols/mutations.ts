/** Breaks JSON in the ways in which models break it: one function a way, the value it was made from is what has to be read. */

import type { Json, JsonObject } from '../../src/kernel/types.ts';

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

type Random = () => number;
/** Undefined = this value cannot be broken in this way so that one reading of it is right. */
type Mutation = (value: JsonObject, random: Random) => string | undefined;

/** As Python and most models write it: a space behind commas and colons. */
export function spaced(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, held]) => `${JSON.stringify(key)}: ${spaced(held)}`)
    .join(', ')}}`;
}
const pretty = (value: Json): string => JSON.stringify(value, null, 2);

/** Changes the text outside strings only. */
function outside(text: string, change: (part: string) => string): string {
  return text
    .split(/("(?:[^"\\]|\\.)*")/)
    .map((part, i) => (i % 2 === 1 ? part : change(part)))
    .join('');
}
/** Changes the strings only; `inner` comes without its quotes. */
function inside(text: string, change: (inner: string, isKey: boolean) => string): string {
  return text.replace(
    /"((?:[^"\\]|\\.)*)"(\s*:)?/g,
    (_whole, inner: string, colon: string | undefined) => change(inner, colon !== undefined) + (colon ?? ''),
  );
}
function python(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  if (typeof value === 'string') {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
    return quote + JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll(quote, `\\${quote}`) + quote;
  }
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  return `{${Object.entries(value)
    .map(([key, held]) => `${python(key)}: ${python(held)}`)
    .join(', ')}}`;
}
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
const differs = (text: string, from: string): string | undefined => (text === from ? undefined : text);
/** The nth place where a pattern matches outside strings is replaced. */
function once(text: string, pattern: RegExp, by: string, random: Random): string | undefined {
  const masked = text.replace(/"(?:[^"\\]|\\.)*"/g, (string) => `${'"'.padEnd(string.length - 1, 'x')}"`);
  const places = [...masked.matchAll(pattern)];
  if (places.length === 0) return undefined;
  const { index, 0: found } = pick(random, places);
  return text.slice(0, index) + by + text.slice(index + found.length);
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  valid: (value) => spaced(value),
  fence: (value, random) => `\`\`\`${pick(random, ['json', '', 'JSON', 'javascript'])}\n${pretty(value)}\n\`\`\``,
  fence_unclosed: (value) => `\`\`\`json\n${pretty(value)}`,
  fence_in_prose: (value, random) =>
    `${pick(random, ['Here you go:', '好的，调用如下。', 'I will call {it} now (see [1]).'])}\n\n\`\`\`json\n${pretty(value)}\n\`\`\`\n\nLet me know!`,
  prose_before: (value, random) => `${pick(random, ['Sure! Here it is: ', '结果：', 'My answer is\n'])}${spaced(value)}`,
  prose_after: (value, random) => `${spaced(value)}${pick(random, ['\n\nIs there more?', ' (that should do it)', '\n以上就是调用。'])}`,
  prose_braces: (value) => `I fill {name} and {args} of the set {1, 2}: ${spaced(value)} as asked.`,
  think: (value, random) =>
    `${pick(random, ['<think>Maybe {"name": "rm"}?</think>', '<think>\nno\n</think>\n\n', 'hm, {"a": 1}?</think>\n'])}${spaced(value)}`,
  trailing_comma: (value) =>
    differs(
      outside(pretty(value), (part) => part.replace(/(?<![{[\s])(\s*[}\]])/g, ',$1')),
      pretty(value),
    ),
  trailing_comma_compact: (value) => `${spaced(value).slice(0, -1)},}`,
  python_repr: (value) => python(value),
  python_literals: (value) =>
    differs(
      outside(spaced(value), (part) => part.replace(/true/g, 'True').replace(/false/g, 'False').replace(/null/g, 'None')),
      spaced(value),
    ),
  unquoted_keys: (value) => inside(spaced(value), (inner, isKey) => (isKey && /^[A-Za-z_]\w*$/.test(inner) ? inner : `"${inner}"`)),
  single_quoted_keys: (value) => inside(spaced(value), (inner, isKey) => (isKey && !inner.includes("'") ? `'${inner}'` : `"${inner}"`)),
  single_quotes: (value) => inside(spaced(value), (inner) => `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`),
  missing_last_brace: (value) => spaced(value).slice(0, -1),
  missing_last_brace_then_prose: (value) => `${spaced(value).slice(0, -1)}\n\nDone.`,
  missing_last_brace_in_fence: (value) => `\`\`\`json\n${spaced(value).slice(0, -1)}\n\`\`\``,
  missing_all_in_fence: (value) =>
    /[{[][}\]]+$/.test(spaced(value)) ? undefined : `\`\`\`json\n${spaced(value).replace(/[}\]]+$/, '')}\n\`\`\``,
  extra_close: (value) => `${spaced(value)}}`,
  extra_close_two: (value) => `${spaced(value)}]}`,
  extra_close_pretty: (value) => `${pretty(value)}\n}\n`,
  missing_comma: (value, random) => once(pretty(value), /,\n/g, '\n', random),
  missing_comma_one_line: (value, random) => once(spaced(value), /(?<=["}\]]),(?= ")/g, '', random),
  double_comma: (value, random) => once(spaced(value), /,/g, ',,', random),
  line_comments: (value, random) => once(pretty(value), /(?<=[,{[])\n/g, ' // see "above": {x}\n', random),
  hash_comments: (value, random) => once(pretty(value), /(?<=[,{[])\n/g, ' # note: "this"\n', random),
  block_comments: (value, random) => once(pretty(value), /\n/g, '\n/* the "next": one, */ ', random),
  smart_quotes: (value) => inside(spaced(value), (inner) => `“${inner}”`),
  mixed_smart_quotes: (value, random) => inside(spaced(value), (inner) => `${pick(random, ['“', '”'])}${inner}”`),
  double_encoded: (value) => JSON.stringify(spaced(value)),
  bom: (value) => `\ufeff${outside(spaced(value), (part) => part.replaceAll(' ', '\u00a0'))}`,
  full_width: (value) => outside(spaced(value), (part) => part.replaceAll(': ', '： ').replaceAll(', ', '， ')),
  full_width_tight: (value) => outside(spaced(value), (part) => part.replaceAll(': ', '：').replaceAll(', ', '，')),
  missing_open_brace: (value) => spaced(value).slice(1),
  assigned: (value, random) => `${pick(random, ['tool_call = ', 'const call = ', 'result: ', 'return '])}${spaced(value)}`,
  semicolon: (value) => `${spaced(value)};`,
  html_entities: (value) => spaced(value).replaceAll('"', '&quot;'),
  html_entities_all: (value) =>
    spaced(value)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
  escaped_whole: (value) => JSON.stringify(spaced(value)).slice(1, -1),
  escaped_pretty: (value) => JSON.stringify(pretty(value)).slice(1, -1),
  bad_escape: (value) => differs(spaced(value).replaceAll("'", "\\'"), spaced(value)),
  raw_newlines: (value) =>
    /\\\\/.test(spaced(value))
      ? undefined
      : differs(
          inside(spaced(value), (inner) => `"${inner.replaceAll('\\n', '\n').replaceAll('\\t', '\t')}"`),
          spaced(value),
        ),
  unescaped_quotes: (value) =>
    /\\\\/.test(spaced(value))
      ? undefined
      : differs(
          inside(spaced(value), (inner) => `"${inner.replaceAll('\\"', '"')}"`),
          spaced(value),
        ),
  windows_paths: (value) =>
    /[A-Z]:\\\\\w/.test(spaced(value)) && !/\\"/.test(spaced(value)) ? spaced(value).replaceAll('\\\\', '\\') : undefined,
};

/** Values that hold everything that makes reading hard. */
export const HARD_VALUES: readonly JsonObject[] = [
  { name: 'write_file', arguments: { path: 'a.ts', content: 'const a = "b";\nif (a) { run({ b: [1] }); }\n// done\n' } },
  { name: 'write_file', arguments: { path: 'b.md', content: '# T\n\n```json\n{"a": 1}\n```\n\n- "one", "two"\n' } },
  { name: 'shell', arguments: { command: 'grep -rn "TODO" src | awk \'{print $1}\' # all', timeout_ms: 15000 } },
  { name: 'query', arguments: { sql: "SELECT \"a\", b FROM t WHERE c LIKE '%O''Neil%' -- {x}", limit: 10, dry: false, cursor: null } },
  { name: 'note', arguments: { text: '他说：“你好，世界：再见。” 🎉', tags: ['中文', 'emoji 🚀'], n: 3 } },
  { name: 'say', arguments: { text: 'She said: "it\'s 5 o\'clock", then left.' } },
  { name: 'regex', arguments: { pattern: '^\\s*\\w+\\("[^"]*"\\)$', flags: 'gm' } },
  { name: 'open', arguments: { path: 'D:\\Users\\new\\table\\report.txt' } },
  { name: 'http', arguments: { url: 'https://example.com/a?b=c&d=%7B#f', headers: { 'X-A': '1, 2', Accept: '*/*' }, ratio: -0.00025 } },
  {
    name: 'plan',
    arguments: {
      steps: [
        { id: 1, args: { p: 'a' } },
        { id: 2, args: { xs: [1, 2.5, -3] } },
        { id: 3, args: {} },
      ],
      done: true,
    },
  },
  { name: 'html', arguments: { html: '<a href="https://x.example/?q=1&r=2">it\'s <b>bold</b></a>', minify: true } },
  { name: 'empty', arguments: {} },
  { name: 'tags', arguments: { text: 'use <tool_call> and </tool_call>, or [TOOL_CALLS]' } },
];
