/** Folders of skills for the tests. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder of the test's own, by its real path. */
export async function ownFolder(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hermes-技能-')));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

export async function write(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** A good skill.yaml of a skill that counts characters. */
export const COUNT_YAML = `name: count_characters
description: 统计一段文字的字数。用于“这段话有多少字”之类的问题；不用于文件。
parameters:
  type: object
  properties:
    text: { type: string, description: 要统计的文字 }
    spaces: { type: boolean, description: count blanks too, default: false }
  required: [text]
examples:
  - input: “春眠不觉晓”有几个字？
    call: '{"text": "春眠不觉晓"}'
    output: { count: 5 }
  - input: How many characters has ""?
    call: '{"name": "count_characters", "arguments": {"text": ""}}'
`;
export const COUNT_CODE = `export default ({ text, spaces }: { text: string; spaces: boolean }) => ({
  count: [...(spaces ? text : text.replaceAll(' ', ''))].length,
});
`;
export const COUNT = { 'skill.yaml': COUNT_YAML, 'skill.ts': COUNT_CODE };

export function text(name: string, description = 'Does a thing. Use it for things.', body = '# How\n\nDo the thing.\n'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}`;
}
