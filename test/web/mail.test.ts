/** send_email against a real SMTP server: what arrives, who is asked what, and every way in which it does not arrive. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { JsonObject } from '../../src/kernel/types.ts';
import sendEmail from '../../tools/send_email.ts';
import { acted, callOf } from '../tools/performing.ts';
import { call, judged } from './rig.ts';

const folder = mkdtempSync(join(tmpdir(), 'hermes-mail-'));
after(() => rmSync(folder, { recursive: true }));
const files = { key: join(folder, 'key.pem'), ca: join(folder, 'ca.pem') };
const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
execFileSync(
  'openssl',
  ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', files.key, '-out', files.ca, '-days', '2', ...subject],
  {
    stdio: 'ignore',
  },
);

interface Received {
  from: string;
  to: string[];
  raw: string;
  isSafe: boolean;
}

async function server(t: TestContext, options: SMTPServerOptions = {}): Promise<{ port: number; mails: Received[] }> {
  const mails: Received[] = [];
  const smtp = new SMTPServer({
    key: readFileSync(files.key),
    cert: readFileSync(files.ca),
    authOptional: true,
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        mails.push({ from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(pieces).toString(), isSafe: session.secure });
        done();
      });
    },
    ...options,
  });
  smtp.on('error', () => undefined); // clients that break off are part of these tests
  await new Promise<void>((done) => smtp.listen(0, '127.0.0.1', done));
  t.after(() => new Promise<void>((done) => smtp.close(done)));
  return { port: (smtp.server.address() as AddressInfo).port, mails };
}

const settings = (port: number, more: JsonObject = {}): JsonObject => ({
  host: '127.0.0.1',
  port,
  from: '小明 <ming@example.com>',
  ca_file: files.ca,
  ...more,
});
const mail = { to: 'li@example.com', subject: '会议改期 Meeting', body: '会议改到三点。\nSee you — 再见 👋\n.\nend' };

test('a mail arrives over STARTTLS with its Chinese subject, body and attachment intact', async (t) => {
  const { port, mails } = await server(t);
  const workspace = mkdtempSync(join(folder, 'w-'));
  writeFileSync(join(workspace, '报告.txt'), '附件内容');
  const args = { ...mail, cc: ['wang@example.com'], attachments: ['报告.txt'] };
  const { data, message } = await call(sendEmail, args, { own: settings(port), workspace });
  assert.deepEqual(data?.sent_to, ['li@example.com', 'wang@example.com'], message);
  const [got] = mails;
  assert.deepEqual([got!.from, got!.to, got!.isSafe], ['ming@example.com', ['li@example.com', 'wang@example.com'], true]);
  assert.equal(decodedHeader(got!.raw, 'Subject'), mail.subject);
  assert.match(decodedHeader(got!.raw, 'From'), /小明/);
  assert.ok(
    texts(got!.raw).some((text) => text.replaceAll('\r\n', '\n').trimEnd() === mail.body),
    got!.raw,
  );
  assert.ok(texts(got!.raw).includes('附件内容'));
  assert.ok(got!.raw.includes(`Message-ID: <${data!.message_id}>`));
});

test('every attempt of one call has the same Message-ID, another call another', async (t) => {
  const { port } = await server(t);
  const idOf = async (id: string) => {
    const { result } = await acted(
      { tools: [sendEmail], settings: { send_email: settings(port) } },
      callOf('send_email', mail, { id, level: 'dangerous' }),
    );
    return result.success && (result.data as { message_id: string }).message_id;
  };
  const [one, again, other] = [await idOf('a'), await idOf('a'), await idOf('b')];
  assert.ok(one && one === again && one !== other && one.endsWith('@example.com'));
});

test('a login is used, and a wrong one told without the password', async (t) => {
  const users: string[] = [];
  const { port, mails } = await server(t, {
    authOptional: false,
    onAuth({ username = '', password }, _session, done) {
      users.push(username);
      if (password === '对的-secret') done(null, { user: username });
      else done(new Error('Invalid login'));
    },
  });
  const own = settings(port, { user: 'ming', password_env: 'MAIL_PASSWORD' });
  const sent = await call(sendEmail, mail, { own, env: { MAIL_PASSWORD: '对的-secret' } });
  assert.ok(sent.data, sent.message);
  const wrong = await call(sendEmail, mail, { own, env: { MAIL_PASSWORD: 'wrong-secret' } });
  assert.equal(wrong.code, 'smtp_login');
  assert.match(`${wrong.message} ${wrong.next}`, /as ming: .*password_env of \[tools\.send_email\]/);
  assert.doesNotMatch(JSON.stringify(wrong), /wrong-secret/);
  const none = await call(sendEmail, mail, { own });
  assert.deepEqual([none.code, /set MAIL_PASSWORD/.test(none.next!)], ['no_password', true]);
  assert.deepEqual([mails.length, users], [1, ['ming', 'ming']]);
});

test('no safe connection, no mail: an unknown certificate, a server without STARTTLS', async (t) => {
  const { port, mails } = await server(t);
  const { ca_file: _, ...unknown } = settings(port);
  assert.equal((await call(sendEmail, mail, { own: unknown })).code, 'smtp_tls');
  const plain = await server(t, { disabledCommands: ['STARTTLS'] });
  const refused = await call(sendEmail, mail, { own: settings(plain.port) });
  assert.match(refused.message!, /nothing was sent/);
  assert.equal(refused.code, 'smtp_tls');
  assert.ok((await call(sendEmail, mail, { own: settings(plain.port, { tls: 'none' }) })).data);
  const direct = await server(t, { secure: true });
  assert.ok((await call(sendEmail, mail, { own: settings(direct.port, { tls: 'tls' }) })).data);
  assert.deepEqual([mails.length, plain.mails.length, direct.mails.length, direct.mails[0]!.isSafe], [0, 1, 1, true]);
});

test('a server that refuses: all recipients, some of them, or the mail itself', async (t) => {
  const { port, mails } = await server(t, {
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('no') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : undefined);
    },
  });
  const all = await call(sendEmail, { ...mail, to: 'nobody@example.com' }, { own: settings(port) });
  assert.deepEqual([all.code, /no such user; nothing was sent/.test(all.message!)], ['mail_refused', true]);
  const some = await call(sendEmail, { ...mail, cc: ['noone@example.com'] }, { own: settings(port) });
  assert.deepEqual([some.data!.sent_to, some.data!.refused], [['li@example.com'], ['noone@example.com']]);
  assert.equal(mails.length, 1);
  const full = await server(t, {
    onData: (stream, _session, done) =>
      void stream.resume().on('end', () => done(Object.assign(new Error('quota'), { responseCode: 552 }))),
  });
  assert.equal((await call(sendEmail, mail, { own: settings(full.port) })).code, 'mail_refused');
  const busy = await server(t, { onMailFrom: (_from, _session, done) => done(Object.assign(new Error('later'), { responseCode: 451 })) });
  assert.equal((await call(sendEmail, mail, { own: settings(busy.port) })).code, 'mail_delayed');
});

test('a connection that breaks before the mail is whole says that nothing was sent; one that breaks after it, that this is in doubt', async (t) => {
  const after = await breaking(t, '.\r\n');
  const doubt = await call(sendEmail, mail, { own: settings(after, { tls: 'none' }) });
  assert.equal(doubt.code, 'mail_in_doubt');
  assert.match(`${doubt.message} ${doubt.next}`, /may have been sent.*do not send it again.*Message-ID [0-9a-f]{32}@example\.com/s);
  const before = await breaking(t, 'RCPT TO');
  const nothing = await call(sendEmail, mail, { own: settings(before, { tls: 'none' }) });
  assert.deepEqual([nothing.code, /nothing was sent/.test(nothing.message!)], ['smtp_unreachable', true]);
  const closed = await breaking(t, '');
  assert.equal((await call(sendEmail, mail, { own: settings(closed, { tls: 'none' }) })).code, 'smtp_unreachable');
});

/** Speaks SMTP until it has read `mark`, then hangs up without an answer. */
async function breaking(t: TestContext, mark: string): Promise<number> {
  const talker = createServer((socket) => {
    socket.on('error', () => undefined);
    if (mark === '') return socket.destroy();
    socket.write('220 here\r\n');
    let isData = false;
    return socket.on('data', (piece) => {
      const text = piece.toString();
      if (text.includes(mark) && (mark !== '.\r\n' || isData)) return socket.destroy();
      if (isData) return undefined;
      isData = text.startsWith('DATA');
      return socket.write(isData ? '354 go on\r\n' : '250 ok\r\n');
    });
  });
  await new Promise<void>((done) => talker.listen(0, '127.0.0.1', done));
  t.after(() => talker.close());
  return (talker.address() as AddressInfo).port;
}

test('a server that says nothing: the call ends at its limit and so does its connection', async (t) => {
  const closed = Promise.withResolvers<void>();
  const mute = createServer((socket) => void socket.on('error', () => undefined).on('close', () => closed.resolve()));
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done));
  t.after(() => mute.close());
  const quick = { ...sendEmail, settings: { ...sendEmail.settings, timeoutMs: 500 } };
  const { code } = await call(quick, mail, { own: settings((mute.address() as AddressInfo).port) });
  assert.equal(code, 'timeout');
  await closed.promise;
});

test('a person is always asked, and shown the whole mail; a changed attachment changes what was shown', async () => {
  const workspace = mkdtempSync(join(folder, 'w-'));
  writeFileSync(join(workspace, 'a.txt'), 'one');
  const own = settings(587);
  const args = { ...mail, cc: ['wang@example.com'], attachments: ['a.txt'] };
  const shown = await judged(sendEmail, args, { own, workspace });
  assert.deepEqual([shown.level, shown.ask], ['dangerous', 'a mail leaves this machine, and cannot be called back']);
  const lines = [
    'From: 小明 <ming@example.com>',
    'To: li@example.com',
    'Cc: wang@example.com',
    `Subject: ${mail.subject}`,
    'Attachment: a.txt (3 bytes, sha256 7692c3ad3540bb80)',
  ];
  assert.equal(shown.preview, `${lines.join('\n')}\n\n${mail.body}`);
  writeFileSync(join(workspace, 'a.txt'), 'two');
  assert.notEqual((await judged(sendEmail, args, { own, workspace })).preview, shown.preview);
});

test('what is refused before anybody is asked: headers within headers, strangers, files outside', async () => {
  const own = settings(587, { recipients: ['*@example.com', 'boss@firm.cn'] });
  const refused: [JsonObject, RegExp][] = [
    [{ subject: 'Hi\r\nBcc: all@example.com' }, /one line each/],
    [{ subject: 'Hi\u2028there' }, /one line each/],
    [{ cc: ['a@example.com\nBcc: b@example.com'] }, /one line each/],
    [{ cc: ['a@example.com, b@example.com'] }, /is no mail address/],
    [{ cc: ['<script>@example.com'] }, /is no mail address/],
    [{ to: 'thief@elsewhere.com' }, /not among the recipients/],
    [{ to: 'x@evil-example.com' }, /not among the recipients/],
    [{ attachments: ['../secret.txt'] }, /was refused and nothing was run/],
    [{ attachments: ['.env'] }, /was refused and nothing was run/],
  ];
  for (const [change, message] of refused) {
    const answer = await judged(sendEmail, { ...mail, ...change }, { own, workspace: folder });
    assert.match(String(answer.message), message, JSON.stringify(change));
  }
  for (const to of ['li@EXAMPLE.com', 'boss@firm.cn']) assert.equal((await judged(sendEmail, { ...mail, to }, { own })).level, 'dangerous');
  for (const to of ['nobody', 'a@example.com, b@example.com'])
    assert.equal((await judged(sendEmail, { ...mail, to }, { own })).code, 'invalid_arguments', 'of two recipients none is left out');
});

test('settings: what is missing or wrong is named', async () => {
  assert.equal(
    (await judged(sendEmail, mail)).message,
    'send_email is not set up: set [tools.send_email] host, and [tools.send_email] from',
  );
  const wrong: [JsonObject, RegExp][] = [
    [{ port: '25' }, /port: expected a number/],
    [{ tls: 'ssl' }, /tls: expected "tls", "starttls" or "none"/],
    [{ from: 'me' }, /from: expected an address/],
    [{ recipients: 'a@b.c' }, /recipients: expected a list/],
  ];
  for (const [change, message] of wrong)
    assert.match(String((await judged(sendEmail, mail, { own: settings(587, change) })).message), message);
  const { code } = await call(sendEmail, mail, { own: settings(587, { ca_file: '/nowhere.pem' }) });
  assert.equal(code, 'bad_setting');
});

// ---- reading a mail --------------------------------------------------------------------------------------

function decodedHeader(raw: string, name: string): string {
  const [, value = ''] = new RegExp(`^${name}: ((?:.*)(?:\\r\\n[ \\t].*)*)`, 'm').exec(raw) ?? [];
  const bytes = value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, form: string, text: string) =>
      form.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString('latin1') : quoted(text.replaceAll('_', ' ')),
    );
  return Buffer.from(bytes, 'latin1').toString();
}

function quoted(text: string): string {
  return text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The decoded parts. */
function texts(raw: string): string[] {
  return raw.split(/^--.*$/m).map((part) => {
    const at = part.indexOf('\r\n\r\n');
    const body = part.slice(at + 4).replace(/\r\n$/, '');
    if (/^Content-Transfer-Encoding: base64/im.test(part)) return Buffer.from(body, 'base64').toString();
    return Buffer.from(/^Content-Transfer-Encoding: quoted-printable/im.test(part) ? quoted(body) : body, 'latin1').toString();
  });
}
