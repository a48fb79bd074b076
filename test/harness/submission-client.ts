import nodemailer, { type SendMailOptions } from 'nodemailer';
import { pino } from 'pino';
import { createKeyAuthenticator } from '../../packages/server/src/keys/key-authenticator.ts';
import { createKeyRates } from '../../packages/server/src/keys/key-rates.ts';
import { type RunningSubmission, startSubmission } from '../../packages/server/src/smtp-submission/start-submission.ts';
import type { SubmissionLimits } from '../../packages/server/src/smtp-submission/submission-handlers.ts';
import { startTestApp, type TestApp, type TestAppOptions } from './test-app.ts';

export interface SubmissionApp extends TestApp {
  readonly smtp: { readonly port: number; readonly tlsPort: number };
}

/** A whole server that also accepts mail over SMTP. */
export async function startSubmissionApp(options: TestAppOptions = {}): Promise<SubmissionApp> {
  const settings = { POSTRIDER_ROLES: 'api,worker,smtp', ...options.settings };
  const server = await startTestApp({ ...options, settings });
  if (server.app.smtp === null) throw new Error('SMTP submission is closed');
  return { ...server, smtp: server.app.smtp };
}

/** Starts SMTP submission for an app without it, with time limits that a test can wait for. */
export async function startSubmissionBeside(
  server: TestApp,
  limits: Partial<SubmissionLimits>,
): Promise<RunningSubmission> {
  const { services, sql } = server.app;
  const running = await startSubmission(server.config, {
    authenticator: createKeyAuthenticator(sql, server.clock),
    rates: createKeyRates(sql),
    tools: services,
    sql,
    clock: server.clock,
    logger: pino({ level: 'silent' }),
    name: 'submission.test',
    logRequest: () => undefined,
    limits,
  });
  if (running === null) throw new Error('SMTP submission is closed');
  return running;
}

interface MailOptions {
  readonly key: string;
  readonly user?: string;
  readonly mode?: 'starttls' | 'implicit' | 'plain';
  readonly authMethod?: 'PLAIN' | 'LOGIN';
}

export interface SentMail {
  /** Null if the server rejected the message. */
  readonly id: string | null;
  /** The last reply of the server. */
  readonly reply: string;
  readonly accepted: readonly string[];
  /** The replies to rejected recipients. */
  readonly refused: readonly string[];
}

/** Sends with nodemailer, an independent client, over its own connection. Rejections are results, not errors. */
export async function sendBySmtp(
  { smtp }: SubmissionApp,
  options: MailOptions,
  mail: SendMailOptions,
): Promise<SentMail> {
  const { key, user = 'postrider', mode = 'starttls', authMethod } = options;
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: mode === 'implicit' ? smtp.tlsPort : smtp.port,
    secure: mode === 'implicit',
    requireTLS: mode === 'starttls',
    ignoreTLS: mode === 'plain',
    tls: { rejectUnauthorized: false },
    auth: { user, pass: key },
    ...(authMethod === undefined ? {} : { authMethod }),
  });
  try {
    const info = await transport.sendMail(mail);
    const refused = (info.rejectedErrors ?? []).map((error) => String('response' in error ? error.response : error));
    const id = / as ([0-9a-f-]{36})$/.exec(info.response)?.[1] ?? null;
    return { id, reply: info.response, accepted: info.accepted.map(String), refused };
  } catch (error) {
    if (!(error instanceof Error) || !('response' in error)) throw error;
    const errors = 'rejectedErrors' in error && Array.isArray(error.rejectedErrors) ? error.rejectedErrors : [];
    const refused = errors.map((each: { response?: string }) => each.response ?? '');
    return { id: null, reply: String(error.response), accepted: [], refused };
  } finally {
    transport.close();
  }
}
