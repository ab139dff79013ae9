/** Sends a mail through the user's own SMTP server. A person sees the whole of it first, every time. */

import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { HermesError } from '../src/kernel/errors.ts';
import type { JsonObject } from '../src/kernel/types.ts';
import { hashOf, type Judgement, tool } from '../src/tools/define.ts';
import { badSetting } from '../src/tools/needs.ts';
import { openReadable } from '../src/tools/workspace.ts';
import { type MailServer, sendMail } from '../src/web/mail.ts';

/** Bytes of all attachments; most servers take 20 to 25 MB, and attachments grow by a third on their way. */
const MOST_BYTES = 15_000_000;
const ADDRESS = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/;

export default tool({
  name: 'send_email',
  description:
    'Sends an e-mail now, after a person has seen and agreed to the whole of it, and gives its Message-ID. Use it when the user asks to send ' +
    'or mail something to an address; not for drafts, and never twice for one request: when it is in doubt, say so.',
  level: 'dangerous',
  needs: ['host', 'from'],
  settingNames: ['port', 'tls', 'user', 'password_env', 'recipients', 'ca_file'],
  timeoutMs: 60_000,
  retry: { times: 1, codes: ['smtp_unreachable'] },
  fatalCodes: ['smtp_login', 'smtp_tls'],
  resource: 'mail',
  input: {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'one address, such as li@example.com; others go into cc', format: 'email' },
      subject: { type: 'string', description: 'subject line', minLength: 1, maxLength: 500 },
      body: { type: 'string', description: 'the whole text', minLength: 1, maxLength: 200_000 },
      cc: { type: 'array', description: 'further addresses', items: { type: 'string' }, maxItems: 50 },
      attachments: { type: 'array', description: 'paths of files in the workspace', items: { type: 'string' }, maxItems: 20 },
    },
    required: ['to', 'subject', 'body'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      sent_to: { type: 'array', items: { type: 'string' } },
      refused: { type: 'array', items: { type: 'string' }, description: 'recipients that the server did not take' },
      message_id: { type: 'string' },
    },
  },
  aliases: {
    recipient: 'to',
    email: 'to',
    title: 'subject',
    text: 'body',
    content: 'body',
    message: 'body',
    files: 'attachments',
    收件人: 'to',
    主题: 'subject',
    正文: 'body',
    抄送: 'cc',
    附件: 'attachments',
  },
  keywords: 'email e-mail mail send write subject saying inform 邮件 发邮件 电子邮件 邮箱 发送 发给 寄 主题 正文 抄送',
  examples: [
    {
      request: 'Email li@example.com with subject Lunch and body See you at noon.',
      arguments: { to: 'li@example.com', subject: 'Lunch', body: 'See you at noon.' },
      result: { sent_to: ['li@example.com'], message_id: 'a1b2@example.com' },
      answer: 'The mail has been sent to li@example.com.',
    },
    {
      request: '给 wang@example.com 发邮件，主题：会议，正文：会议改到三点。',
      arguments: { to: 'wang@example.com', subject: '会议', body: '会议改到三点。' },
      result: { sent_to: ['wang@example.com'], message_id: 'c3d4@example.com' },
      answer: '邮件已发送给 wang@example.com。',
    },
  ],
  async judge({ to, subject, body, cc = [], attachments = [] }, { workspace, settings, language }): Promise<Judgement> {
    const { from, recipients } = readSettings(settings);
    const problem = problemOf({ to, subject, cc, attachments }, recipients);
    if (problem) return { level: 'dangerous', deny: problem };
    const words = WORDS[language] ?? WORDS.en;
    const files = await readFiles(workspace, attachments);
    const lines = [`${words.from}: ${from}`, `${words.to}: ${to}`];
    if (cc.length > 0) lines.push(`${words.cc}: ${cc.join(', ')}`);
    lines.push(`${words.subject}: ${subject}`);
    // With a fingerprint: the yes holds for these very files.
    for (const { name, bytes } of files) lines.push(`${words.attachment}: ${name} (${bytes.length} ${words.bytes}, ${print(bytes)})`);
    return { level: 'dangerous', ask: words.ask, preview: `${lines.join('\n')}\n\n${body}` };
  },
  async execute({ to, subject, body, cc = [], attachments = [] }, { context, key, signal }) {
    const { from, server } = readSettings(context.settings);
    const login = loginOf(context.settings, context.env);
    const ca = await authorityOf(context.settings, context.workspace);
    const files = await readFiles(context.workspace, attachments);
    // The same for every attempt of this call: a second one is known as a repeat by whoever gets it.
    const messageId = `${hashOf(key)}@${from.slice(from.lastIndexOf('@') + 1).replace(/>$/, '')}`;
    const mail = { from, to, cc, subject, body, attachments: files, messageId };
    const { accepted, refused } = await sendMail({ ...server, ...login, ...ca }, mail, signal);
    return { sent_to: accepted, ...(refused.length > 0 ? { refused } : {}), message_id: messageId };
  },
});

const WORDS = {
  en: {
    from: 'From',
    to: 'To',
    cc: 'Cc',
    subject: 'Subject',
    attachment: 'Attachment',
    bytes: 'bytes',
    ask: 'a mail leaves this machine, and cannot be called back',
  },
  zh: { from: '发件人', to: '收件人', cc: '抄送', subject: '主题', attachment: '附件', bytes: '字节', ask: '邮件一旦发出就无法收回' },
} as const;

// ---- what may be sent ----------------------------------------------------------------------------------

interface Parts {
  to: string;
  subject: string;
  cc: readonly string[];
  attachments: readonly string[];
}

/** A line end in a header would begin another header: Bcc, or a second mail. */
function problemOf({ to, subject, cc, attachments }: Parts, allowed: readonly string[] | undefined): string | undefined {
  if ([to, subject, ...cc, ...attachments].some((text) => /\p{Cc}|\u2028|\u2029/u.test(text)))
    return 'recipients, subject and file names are one line each, without control characters';
  const wrong = [to, ...cc].find((address) => !ADDRESS.test(address));
  if (wrong !== undefined) return `"${wrong}" is no mail address; write it as li@example.com, one an entry`;
  const stranger = [to, ...cc].find((address) => allowed && !allowed.some((pattern) => fitsPattern(address, pattern)));
  return stranger && `${stranger} is not among the recipients of [tools.send_email]; only the user can add it there`;
}

/** `li@example.com`, or `*@example.com`. */
function fitsPattern(address: string, pattern: string): boolean {
  const [one, other] = [address.toLowerCase(), pattern.toLowerCase()];
  return other.startsWith('*@') ? one.slice(one.lastIndexOf('@')) === other.slice(1) : one === other;
}

async function readFiles(workspace: string, paths: readonly string[]) {
  const files: { name: string; bytes: Uint8Array }[] = [];
  let left = MOST_BYTES;
  for (const path of paths) {
    const handle = await openReadable(workspace, path);
    try {
      const stats = await handle.stat();
      if (!stats.isFile())
        throw new HermesError('no_file', `${path} is no ordinary file; it cannot be attached`, { kind: 'tool', next: 'name a file' });
      left -= stats.size;
      if (left < 0)
        throw new HermesError('too_large', `the attachments have more than ${MOST_BYTES} bytes`, {
          kind: 'tool',
          next: 'attach less, or tell the user',
        });
      files.push({ name: basename(path), bytes: await handle.readFile() });
    } finally {
      await handle.close();
    }
  }
  return files;
}

function print(bytes: Uint8Array): string {
  return `sha256 ${process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'hex').slice(0, 16)}`;
}

// ---- settings: [tools.send_email] ----------------------------------------------------------------------

function readSettings(given: JsonObject): { from: string; recipients?: string[]; server: MailServer } {
  const { host, from, port = 587, tls = port === 465 ? 'tls' : 'starttls', recipients } = given;
  if (typeof host !== 'string') throw badSetting('send_email', 'host', 'the name of the SMTP server', given.host);
  if (typeof from !== 'string' || !/@[^\s@]+$/.test(from) || /\p{Cc}/u.test(from))
    throw badSetting('send_email', 'from', 'an address such as me@example.com', given.from);
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw badSetting('send_email', 'port', 'a number from 1 to 65535', given.port);
  if (tls !== 'tls' && tls !== 'starttls' && tls !== 'none')
    throw badSetting('send_email', 'tls', '"tls", "starttls" or "none"', given.tls);
  if (recipients === undefined) return { from, server: { host, port, tls } };
  if (!Array.isArray(recipients) || !recipients.every((one) => typeof one === 'string'))
    throw badSetting('send_email', 'recipients', 'a list of addresses', given.recipients);
  return { from, recipients, server: { host, port, tls } };
}

function loginOf(given: JsonObject, env: Readonly<Record<string, string>>): Pick<MailServer, 'login'> {
  const { user, password_env: variable } = given;
  if (user === undefined) return {};
  if (typeof user !== 'string') throw badSetting('send_email', 'user', 'a name', given.user);
  if (typeof variable !== 'string')
    throw badSetting('send_email', 'password_env', 'the name of the variable that holds the password', given.password_env);
  const pass = env[variable];
  if (pass) return { login: { user, pass } };
  const next = `tell the user to set ${variable} in the environment or .env`;
  throw new HermesError('no_password', `the variable ${variable} of [tools.send_email] password_env is not set`, { kind: 'tool', next });
}

async function authorityOf(given: JsonObject, workspace: string): Promise<Pick<MailServer, 'ca'>> {
  if (given.ca_file === undefined) return {};
  if (typeof given.ca_file !== 'string') throw badSetting('send_email', 'ca_file', 'a file of PEM certificates', given.ca_file);
  try {
    return { ca: await readFile(resolve(workspace, given.ca_file)) };
  } catch (error) {
    throw badSetting('send_email', 'ca_file', `a file that can be read (${(error as Error).message})`, given.ca_file);
  }
}
