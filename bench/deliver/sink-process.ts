import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { childSettings, serveParent } from '../parts/child.ts';
import { type SunkMessage, startLeanSink } from '../parts/smtp-sink.ts';

export type SinkQuestion = { readonly ask: 'forget' } | { readonly ask: 'count' } | VerifyQuestion;

export interface VerifyQuestion {
  readonly ask: 'verify';
  /** What DNS would return for the signing key. */
  readonly record: string;
}

/** What was received since the last reset. */
export interface SinkCount {
  readonly messages: number;
  readonly recipients: number;
  readonly messageIds: number;
  readonly signatures: number;
  /** Messages whose subject or text belonged to another recipient. */
  readonly mixedUp: number;
}

export interface SinkVerdict {
  readonly verified: number;
  readonly failed: readonly string[];
}

/** One message in a hundred is kept and verified after the clock has stopped. */
const KEEP_EVERY = 100;

let messages = 0;
let mixedUp = 0;
let recipients = new Set<string>();
let messageIds = new Set<string>();
let signatures = new Set<string>();
let kept: Buffer[] = [];

function take({ recipient, data }: SunkMessage): void {
  if (messages % KEEP_EVERY === 0) kept.push(Buffer.from(data));
  messages += 1;
  const header = data.toString('latin1', 0, data.indexOf('\r\n\r\n') + 2);
  recipients.add(recipient);
  messageIds.add(/^Message-ID: (.*)\r$/im.exec(header)?.[1] ?? '');
  // The end of a signature is enough to tell signatures apart.
  signatures.add(/\bb=([\w+/=\s]+)\r\n\S/.exec(header)?.[1]?.slice(-40) ?? '');
  const name = /^customer-(\d+-\d+)@/.exec(recipient)?.[1] ?? '?';
  if (!header.includes(`Your order ${name}`) || data.indexOf(`Thank you, Customer ${name}`) < 0) mixedUp += 1;
}

function forget(): void {
  messages = 0;
  mixedUp = 0;
  recipients = new Set();
  messageIds = new Set();
  signatures = new Set();
  kept = [];
}

async function verify({ record }: VerifyQuestion): Promise<SinkVerdict> {
  // A TXT string has at most 255 bytes, so a 2048-bit key is split.
  const resolver = async () => [record.match(/.{1,255}/g) ?? []];
  const failed: string[] = [];
  for (const raw of kept) {
    const { results } = await dkimVerify(Buffer.from(raw.toString('latin1').replaceAll('\r\n..', '\r\n.'), 'latin1'), {
      resolver,
    });
    const [result] = results;
    if (results.length !== 1 || result?.status.result !== 'pass') failed.push(result?.status.comment ?? 'no signature');
  }
  return { verified: kept.length - failed.length, failed };
}

async function respond(question: SinkQuestion): Promise<SinkCount | SinkVerdict> {
  if (question.ask === 'verify') return await verify(question);
  if (question.ask === 'forget') forget();
  return {
    messages,
    recipients: recipients.size,
    messageIds: messageIds.size,
    signatures: signatures.size,
    mixedUp,
  };
}

childSettings();
const port = await startLeanSink(take);
serveParent({ port }, (question) => respond(question as SinkQuestion)); // Sent only by bench-deliver.ts.
