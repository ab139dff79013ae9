/** What is told of a package that is not installed. */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inChinese } from '../../src/cli/errors-zh.ts';
import { installLine, packageMissing } from '../../src/kernel/errors.ts';

type Names = Parameters<typeof installLine>;

test('the versions that are named are those of package.json', async () => {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  const { peerDependencies } = JSON.parse(text) as { peerDependencies: Record<string, string> };
  for (const [name, version] of Object.entries(peerDependencies)) {
    assert.equal(installLine(name as Names[0]), `npm install ${name}@${version}`);
  }
});

test('an absent package and one that cannot be loaded are told apart, with the line that installs both, in Chinese too', async () => {
  const absent = await import('no-such-package-here' as string).catch((cause: unknown) => cause);
  const error = packageMissing('judging commands needs', ['web-tree-sitter', 'tree-sitter-bash'], absent);
  assert.equal(error.message, 'judging commands needs the packages web-tree-sitter and tree-sitter-bash (not installed)');
  assert.match(error.next ?? '', /^npm install web-tree-sitter@[\d.]+ tree-sitter-bash@[\d.]+$/);
  assert.ok(inChinese(error.toData()).next?.includes(error.next ?? '-'));
  const broken = packageMissing('pages need', ['linkedom'], new Error('bad binary\nat x'));
  assert.equal(broken.message, 'pages need the package linkedom (cannot be loaded: bad binary)');
});
