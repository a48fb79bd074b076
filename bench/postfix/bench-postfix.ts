import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { SenderRound } from '../deliver/sender-round.ts';
import { openShop, type Shop } from '../deliver/shop.ts';
import { shopEmail } from '../deliver/shop-email.ts';
import type { SinkCount } from '../deliver/sink-process.ts';
import { openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild } from '../parts/child.ts';
import { note } from '../parts/findings.ts';
import { compareRates, describeMachine, judge, median, round } from '../parts/report.ts';
import { type InjectedMail, injectMail } from './inject-mail.ts';
import { type SigningPostfix, startSigningPostfix } from './signing-postfix.ts';

const CONNECTIONS = 20;
const PORTS = { port: 18_160, milterPort: 18_161 };
const LEAST_RATIO = 3;
const LOOK_EVERY_MS = 5;
const PROGRAMS = ['/usr/sbin/postfix', '/usr/sbin/opendkim'];

interface Stage {
  readonly shop: Shop;
  readonly sink: Child<{ readonly port: number }>;
  readonly engine: Child<unknown>;
  readonly postfix: SigningPostfix;
}

/**
 * `pnpm bench postfix`: the same messages, signed with the same key, to the same receiver on loopback: by the delivery engine, which also
 * rewrites ten links and adds the tracking image, and by Postfix with OpenDKIM, which gets the complete messages over SMTP.
 */
export async function benchPostfix({
  count,
  rounds,
}: {
  readonly count: number;
  readonly rounds: number;
}): Promise<boolean> {
  if (!PROGRAMS.every((program) => existsSync(program))) {
    const reason = 'Postfix and OpenDKIM are not installed: run bench/postfix/install.sh';
    note({ kind: 'skipped', text: reason });
    console.error(reason);
    return false;
  }
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  const shop = await openShop(database, { isTracked: true });
  const start = <Ready>(path: string, settings: unknown) => startChild<Ready>(new URL(path, import.meta.url), settings);
  const sink = await start<{ port: number }>('../deliver/sink-process.ts', {});
  const engine = await start('../deliver/engine-process.ts', {
    target: database.target,
    dataDir,
    sinkPort: sink.ready.port,
  });
  const postfix = await startSigningPostfix({
    ...PORTS,
    nextPort: sink.ready.port,
    connections: CONNECTIONS,
    key: shop.key,
  });
  try {
    console.log(describeMachine(database.settings));
    console.log(`\n${count} messages of 3 KB a round with ten links, DKIM rsa-2048, ${rounds} alternating rounds`);
    return await runRounds({ shop, sink, engine, postfix }, count, rounds);
  } finally {
    await postfix.stop();
    for (const child of [engine, sink]) await child.stop();
    await shop.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runRounds(stage: Stage, count: number, rounds: number): Promise<boolean> {
  const ours: number[] = [];
  const theirs: { readonly whole: number; readonly afterTaking: number }[] = [];
  // The first round warms up.
  for (let n = 0; n <= rounds; n += 1) {
    const own = await deliverOurs(stage, 2 * n, count);
    const other = await deliverTheirs(stage, 2 * n + 1, count);
    if (n > 0) ours.push(own) && theirs.push(other);
  }
  console.log(`postrider, from the outbox to the receiver: ${round(median(ours))} messages/s`);
  console.log(
    `Postfix and OpenDKIM, from the first to the last: ${round(median(theirs.map(({ whole }) => whole)))} messages/s`,
  );
  compareRates('deliver 3 KB with ten tracked links, signed', {
    Postrider: median(ours),
    'Postfix with OpenDKIM, without tracking': median(theirs.map(({ whole }) => whole)),
  });
  const ratio = median(ours.map((own, n) => own / (theirs[n]?.whole ?? own)));
  console.log(judge('messages/s, ratio to Postfix with OpenDKIM', ratio, LEAST_RATIO, 'at least'));
  return ratio >= LEAST_RATIO;
}

async function deliverOurs({ shop, sink, engine }: Stage, seed: number, count: number): Promise<number> {
  await sink.ask({ ask: 'forget' });
  await shop.forgetMessages();
  await shop.accept(seed, count);
  const { seconds } = await engine.ask<SenderRound>({ ask: 'drain' });
  await assertArrived(sink, count);
  return count / seconds;
}

async function deliverTheirs({ shop, sink, postfix }: Stage, seed: number, count: number) {
  await sink.ask({ ask: 'forget' });
  const mails = Array.from({ length: count }, (_, index) => toMail(shopEmail(seed, index, shop.key.domain)));
  const beganMs = performance.now();
  await injectMail(postfix.port, mails, CONNECTIONS);
  const takenMs = performance.now();
  while ((await sink.ask<SinkCount>({ ask: 'count' })).messages < count) await pause(LOOK_EVERY_MS);
  await assertArrived(sink, count);
  const perSecond = (ms: number) => count / (ms / 1_000);
  return { whole: perSecond(performance.now() - beganMs), afterTaking: perSecond(performance.now() - takenMs) };
}

async function assertArrived(sink: Stage['sink'], count: number): Promise<void> {
  const { messages, messageIds, signatures } = await sink.ask<SinkCount>({ ask: 'count' });
  if ([messages, messageIds, signatures].some((n) => n !== count)) {
    throw new Error(
      `${count} messages were sent, ${messages} arrived, ${messageIds} of their own, ${signatures} signed`,
    );
  }
}

/** As the engine composes it: two alternatives with one boundary. */
function toMail({ from, to, subject, html, text }: ReturnType<typeof shopEmail>): InjectedMail {
  const boundary = `=_${subject.replaceAll(/\W/g, '')}`;
  const part = (type: string, content: string) =>
    `--${boundary}\nContent-Type: ${type}; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\n${fold(content)}\n`;
  const address = /<(.+)>/.exec(from)?.[1] ?? from;
  const header = [
    ...[
      `From: ${from}`,
      `To: ${to}`,
      `Subject: ${subject}`,
      `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    ],
    ...[`Message-ID: <${boundary}.${Math.random()}@bench.test>`, 'MIME-Version: 1.0'],
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ].join('\n');
  const body = `${part('text/plain', text)}${part('text/html', html)}--${boundary}--`;
  return { from: address, to, data: `${header}\n\n${body}`.replaceAll('\n', '\r\n') };
}

/** Keeps lines within the 998 bytes of RFC 5322, with breaks before tags. */
function fold(content: string): string {
  return content.replaceAll('<tr>', '\n<tr>');
}
