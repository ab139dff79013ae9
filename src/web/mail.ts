/** One mail over SMTP, sent once or not at all as far as that can be known. nodemailer is loaded when a mail is sent. */

import type Mail from 'nodemailer/lib/mailer/index.js';
import type { Logger } from 'nodemailer/lib/shared/index.js';
import { HermesError, packageMissing } from '../kernel/errors.ts';

export interface MailServer {
  host: string;
  port: number;
  /** From the first byte, after STARTTLS, or not at all. */
  tls: 'tls' | 'starttls' | 'none';
  /** PEM of the authority that signed the server's certificate; absent = those that the system trusts. */
  ca?: Uint8Array;
  login?: { user: string; pass: string };
}
export interface OutgoingMail {
  from: string;
  to: string;
  cc: readonly string[];
  subject: string;
  body: string;
  attachments: readonly { name: string; bytes: Uint8Array }[];
  /** Without the angle brackets. */
  messageId: string;
}
export interface Sent {
  accepted: string[];
  /** The server took the mail, but not for these. */
  refused: string[];
}

/** Milliseconds to connect, to be greeted, and of silence in between. */
const CONNECT_LIMIT = 10_000;
const SILENCE_LIMIT = 20_000;

/** Rejects with a HermesError; `mail_in_doubt` when the server had the whole mail and did not answer. */
export async function sendMail(server: MailServer, mail: OutgoingMail, signal: AbortSignal): Promise<Sent> {
  const createTransport = await loadTransport();
  const { host, port, tls, ca, login } = server;
  let isHandedOver = false;
  const heard = (entry: unknown) => {
    if ((entry as { tnx?: string }).tnx === 'message') isHandedOver = true; // told once the whole mail has been written to the server
  };
  const transport = createTransport({
    host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(ca ? { tls: { ca: Buffer.from(ca) } } : {}),
    ...(login ? { auth: login } : {}),
    connectionTimeout: CONNECT_LIMIT,
    greetingTimeout: CONNECT_LIMIT,
    socketTimeout: SILENCE_LIMIT,
    logger: loggerOf(heard),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { attachments, messageId, cc, body: text, ...rest } = mail;
  const content = attachments.map(({ name, bytes }) => ({ filename: name, content: Buffer.from(bytes) }));
  const options: Mail.Options & { signal: AbortSignal } = {
    ...rest,
    text,
    cc: [...cc],
    attachments: content,
    messageId: `<${messageId}>`,
    signal,
  };
  try {
    const { accepted, rejected } = await transport.sendMail(options);
    return { accepted: accepted.map(String), refused: rejected.map(String) };
  } catch (error) {
    throw failure(error as SmtpError, server, messageId, isHandedOver);
  }
}

async function loadTransport() {
  try {
    return (await import('nodemailer')).createTransport;
  } catch (cause) {
    throw packageMissing('mails need', ['nodemailer'], cause);
  }
}

/** nodemailer tells what it does to a logger only. */
function loggerOf(info: (entry: unknown) => void): Logger {
  const nothing = () => undefined;
  return { trace: nothing, debug: nothing, info, warn: nothing, error: nothing, fatal: nothing };
}

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
}

function failure(error: SmtpError, { host, port, login }: MailServer, messageId: string, isHandedOver: boolean): HermesError {
  const place = `${host}:${port}`;
  const said = (error.response || error.message).replace(/\s+/g, ' ').slice(0, 300);
  const make = (code: string, message: string, next: string) => new HermesError(code, message, { kind: 'tool', next, cause: error });
  if (isHandedOver && error.responseCode === undefined) {
    const message = `${place} has got the mail and did not say whether it sends it (${said}); it may have been sent`;
    return make('mail_in_doubt', message, `do not send it again; tell the user to look for Message-ID ${messageId}`);
  }
  if (error.code === 'EAUTH') {
    const as = login ? `as ${login.user}` : 'without a login';
    return make(
      'smtp_login',
      `${place} does not let us in ${as}: ${said}`,
      'tell the user to check user and password_env of [tools.send_email]',
    );
  }
  if (error.code === 'ETLS' || /certificate|self-signed|tls|ssl/i.test(error.message)) {
    const next = 'tell the user: tls = "tls", "starttls" or "none" in [tools.send_email]; ca_file names an own authority';
    return make('smtp_tls', `no safe connection to ${place}: ${said}; nothing was sent`, next);
  }
  if (error.responseCode !== undefined && error.responseCode >= 500)
    return make(
      'mail_refused',
      `${place} refuses the mail: ${said}; nothing was sent`,
      'check the recipients; tell the user what the server says',
    );
  if (error.responseCode !== undefined)
    return make('mail_delayed', `${place} does not take the mail now: ${said}; nothing was sent`, 'tell the user to try again later');
  return make('smtp_unreachable', `${place} cannot be reached: ${said}; nothing was sent`, 'tell the user to check host and port');
}
