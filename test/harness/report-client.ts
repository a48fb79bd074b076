import { createReturnPaths } from '../../packages/server/src/inbound/return-path.ts';
import { openSmtpSession, type SmtpSession } from './smtp-session.ts';
import { TEST_SECRET_KEY } from './template-database.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.ts';

export interface ReportApp extends TestApp {
  readonly inboundPort: number;
}

/** A whole server that also receives reports. */
export async function startReportApp(options: TestAppOptions = {}): Promise<ReportApp> {
  const settings = { POSTRIDER_ROLES: 'api,worker,smtp', ...options.settings };
  const server = await startTestApp({ ...options, settings });
  if (server.app.inboundPort === null) throw new Error('the port for reports is closed');
  return { ...server, inboundPort: server.app.inboundPort };
}

/** The return path of a delivery attempt, as the server builds it. */
export function returnPathOf(
  server: TestApp,
  messageId: string,
  ordinals: readonly number[] = [0],
  host = 'sandbox.test',
): string {
  return createReturnPaths(TEST_SECRET_KEY).addressFor({ accountId: server.accountId, messageId, ordinals }, host);
}

export interface MailOptions {
  /** Default: `<>`. */
  readonly from?: string;
  /** A session after greeting and EHLO; by default a new one. */
  readonly session?: SmtpSession;
}

/** Delivers mail like another server. Returns the last reply: to the end of the mail, or to the rejected recipient. */
export async function bringMail(
  port: number,
  to: string | readonly string[],
  mail: string,
  { from = '', session: given }: MailOptions = {},
): Promise<string | null> {
  const session = given ?? (await openSmtpSession(port));
  try {
    if (given === undefined) await session.say('EHLO mx.example.com');
    await session.say(`MAIL FROM:<${from}>`);
    for (const address of [to].flat()) {
      const reply = await session.say(`RCPT TO:<${address}>`);
      if (!reply?.startsWith('250')) return reply;
    }
    await session.say('DATA');
    session.write(`${mail.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..')}\r\n.\r\n`);
    return await session.reply();
  } finally {
    if (given === undefined) session.close();
  }
}
