import { createPrivateKey } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { composeMime } from '../../packages/server/src/mime/compose-mime.ts';
import { type CanonicalMessage, canonicalizeMessage } from '../../packages/server/src/mime/dkim-canonical.ts';
import { type DkimKey, signCanonical } from '../../packages/server/src/mime/dkim-sign.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';
import type { NodemailerQuestion, NodemailerSettings } from './nodemailer-process.ts';
import type { SenderRound } from './sender-round.ts';
import { shopEmail } from './shop-email.ts';

/**
 * The lower limit of the cost: signs and sends messages that are composed and hashed before the clock starts, with two writes and two reads
 * each, and records nothing.
 */
const { sinkPort, connections, key } = childSettings<NodemailerSettings>();
const dkim: DkimKey = {
  ...{ domain: key.domain, selector: key.selector, algorithm: 'rsa-sha256' },
  privateKey: createPrivateKey(key.privateKeyPem),
};

interface Prepared {
  readonly envelope: string;
  readonly canonical: CanonicalMessage;
  /** With the dot that ends it. */
  readonly message: string;
}

function prepare(seed: number, index: number): Prepared {
  const { from, to, subject, html, text } = shopEmail(seed, index, key.domain);
  const [, name = '', sender = ''] = /^(.*) <(.*)>$/.exec(from) ?? [];
  const composed = composeMime({
    ...{ messageId: `bare-${seed}-${index}@${key.domain}`, date: new Date(), subject, html, text },
    ...{ from: { name, address: sender }, to: [{ name: null, address: to }], cc: [], replyTo: [], headers: [] },
    boundarySeed: `${seed}-${index}`,
  });
  const stuffed = composed.body.replaceAll('\r\n.', '\r\n..');
  return {
    envelope: `MAIL FROM:<${sender}>\r\nRCPT TO:<${to}>\r\nDATA\r\n`,
    canonical: canonicalizeMessage(composed),
    message: `${composed.header}\r\n${stuffed}.\r\n`,
  };
}

const EHLO_LINES = 3;

/** Opens a connection, and returns how to write to it and wait until the replies have this many lines. */
async function open(): Promise<{
  readonly ask: (text: string, lines: number) => Promise<void>;
  readonly socket: Socket;
}> {
  const socket = connect(sinkPort, '127.0.0.1');
  socket.setNoDelay(true).setEncoding('latin1');
  let left = 0;
  let finish = () => {};
  socket.on('data', (chunk: string) => {
    left -= chunk.split('\n').length - 1;
    if (left === 0) finish();
  });
  const ask = (text: string, lines: number) =>
    new Promise<void>((resolve) => {
      [left, finish] = [lines, resolve];
      socket.write(text, 'latin1');
    });
  await ask('', 1);
  await ask('EHLO bare\r\n', EHLO_LINES);
  return { ask, socket };
}

async function sendAll(messages: Prepared[]): Promise<void> {
  const { ask, socket } = await open();
  for (let next = messages.pop(); next !== undefined; next = messages.pop()) {
    const { envelope, canonical, message } = next;
    const signature = await signCanonical(canonical, dkim, { signedAt: new Date() });
    await ask(envelope, 3);
    await ask(signature + message, 1);
  }
  socket.destroy();
}

async function send({ seed, count }: NodemailerQuestion): Promise<SenderRound> {
  const messages = Array.from({ length: count }, (_, index) => prepare(seed, index)).reverse();
  const before = ownUsage();
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: connections }, () => sendAll(messages)));
  const seconds = (performance.now() - beganMs) / 1_000;
  const after = ownUsage();
  return { seconds, cpuMs: after.cpuMs - before.cpuMs, rssMb: after.rssMb };
}

serveParent({}, (question) => send(question as NodemailerQuestion)); // Sent only by bench-deliver.ts.
