/** Without the optional packages: a page is plain text with the reason, a mail is an error that names the command. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const part = (name: string) => JSON.stringify(resolve(import.meta.dirname, '../../src/web', name));
const code = `
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^(?:linkedom|nodemailer)$/.test(specifier)) throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(specifier, context);
    },
  });
  const { readPage } = await import(${part('read.ts')});
  const { sendMail } = await import(${part('mail.ts')});
  const page = await readPage('<title>T</title><p>你好</p><script>x</script>', 'https://a.example/', () => { throw new Error('started'); });
  const error = await sendMail({ host: 'h', port: 1, tls: 'none' }, {}, new AbortController().signal).catch((thrown) => thrown);
  console.log(JSON.stringify({ page, code: error.code, next: error.next }));
`;

test('what is not installed is named with the command that installs it', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { timeout: 30_000 });
  const told = JSON.parse(stdout) as { page: { title: string; text: string; isPlain: string }; code: string; next: string };
  assert.deepEqual([told.page.title, told.page.text], ['T', '你好']);
  assert.match(told.page.isPlain, /npm install linkedom@\d+\.\d+\.\d+ @mozilla\/readability@\d+\.\d+\.\d+/);
  assert.deepEqual([told.code, /npm install nodemailer@\d+\.\d+\.\d+$/.test(told.next)], ['package_missing', true]);
});
