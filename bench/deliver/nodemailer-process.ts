import { createTransport } from 'nodemailer';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';
import type { SenderRound, ShopKey } from './sender-round.ts';
import { shopEmail } from './shop-email.ts';

export interface NodemailerSettings {
  readonly sinkPort: number;
  readonly connections: number;
  readonly key: ShopKey;
}

export interface NodemailerQuestion {
  readonly seed: number;
  readonly count: number;
}

/** Enough to keep every connection busy, and few enough that the queue needs little memory. */
const SENDS_AT_ONCE = 100;

const { sinkPort, connections, key } = childSettings<NodemailerSettings>();

/** The competitor: nodemailer's pooled transport, which composes and signs each message itself. */
const transport = createTransport({
  pool: true,
  host: '127.0.0.1',
  port: sinkPort,
  secure: false,
  ignoreTLS: true,
  maxConnections: connections,
  dkim: { domainName: key.domain, keySelector: key.selector, privateKey: key.privateKeyPem },
});

async function send({ seed, count }: NodemailerQuestion): Promise<SenderRound> {
  // Our engine reads its messages from a database; these are created before the clock starts.
  const emails = Array.from({ length: count }, (_, index) => shopEmail(seed, index, key.domain)).reverse();
  const before = ownUsage();
  const beganMs = performance.now();
  const worker = async () => {
    for (let email = emails.pop(); email !== undefined; email = emails.pop()) {
      const { from, to, subject, html, text } = email;
      await transport.sendMail({ from, to, subject, html, text });
    }
  };
  await Promise.all(Array.from({ length: SENDS_AT_ONCE }, worker));
  const seconds = (performance.now() - beganMs) / 1_000;
  const after = ownUsage();
  return { seconds, cpuMs: after.cpuMs - before.cpuMs, rssMb: after.rssMb };
}

serveParent({}, (question) => send(question as NodemailerQuestion)); // Sent only by bench-deliver.ts.
