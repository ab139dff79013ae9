/** Without the optional packages: a page is plain text with the reason, a mail is an error that names the command. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const part = (name: string) => JSON.stringify(resolve(import.meta.dirname, '../../src', name));
const code = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^(?:linkedom|nodemailer|pg|web-tree-sitter)$/.test(specifier)) throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context);
    },
  });
  const { readPage } = await import(${part('web/read.ts')});
  const { sendMail } = await import(${part('web/mail.ts')});
  const page = await readPage('<title>T</title><p>你好</p><script>x</script>', 'https://a.example/', () => { throw new Error('started'); });
  const error = await sendMail({ host: 'h', port: 1, tls: 'none' }, {}, new AbortController().signal).catch((thrown) => thrown);
  const { askPostgres } = await import(${part('sql/postgres.ts')});
  const { loadGrammar } = await import(${part('shell/grammar.ts')});
  const told = async (promise) => promise.then(() => 'fine', ({ code, next }) => [code, next]);
  const others = [await told(askPostgres('postgres://u@h/d', undefined, { timeoutMs: 9, maxRows: 1 })), await told(loadGrammar())];
  console.log(JSON.stringify({ page, code: error.code, next: error.next, others }));
`;

test('what is not installed is named with the command that installs it', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 30_000 });
  const told = JSON.parse(stdout) as {
    page: { title: string; text: string; isPlain: string };
    code: string;
    next: string;
    others: [string, string][];
  };
  assert.deepEqual([told.page.title, told.page.text], ['T', '你好']);
  assert.match(told.page.isPlain, /npm install linkedom@\d+\.\d+\.\d+ @mozilla\/readability@\d+\.\d+\.\d+/);
  assert.deepEqual([told.code, /npm install nodemailer@\d+\.\d+\.\d+$/.test(told.next)], ['package_missing', true]);
  assert.deepEqual(
    told.others.map(([missing, next]) => [missing, next.replaceAll(/\d+\.\d+\.\d+/g, 'VERSION')]),
    [
      ['package_missing', 'npm install pg@VERSION'],
      ['package_missing', 'npm install web-tree-sitter@VERSION tree-sitter-bash@VERSION'],
    ],
  );
});
