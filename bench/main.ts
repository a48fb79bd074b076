import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { benchAccept } from './accept/bench-accept.ts';
import { benchAll } from './all/bench-all.ts';
import { benchBursts } from './bursts/bench-bursts.ts';
import { benchCli } from './cli/bench-cli.ts';
import { benchConsole } from './console/bench-console.ts';
import { benchDeliver } from './deliver/bench-deliver.ts';
import { benchFairness } from './deliver/bench-fairness.ts';
import { benchExactness } from './exactness/bench-exactness.ts';
import { benchLimiter } from './exactness/bench-limiter.ts';
import { benchGrowth } from './growth/bench-growth.ts';
import { benchHostile } from './hostile/bench-hostile.ts';
import { benchLinks } from './links/bench-links.ts';
import { benchMcp } from './mcp/bench-mcp.ts';
import { benchNotifications } from './notifications/bench-notifications.ts';
import { note } from './parts/findings.ts';
import { benchPath } from './path/bench-path.ts';
import { benchPostfix } from './postfix/bench-postfix.ts';
import { benchProcesses } from './processes/bench-processes.ts';
import { benchReads } from './reads/bench-reads.ts';
import { benchSeed } from './reads/bench-seed.ts';
import { DEFAULT_DATA_DIR } from './reads/kept-database.ts';
import { benchReceipts } from './receipts/bench-receipts.ts';
import { benchRender } from './render/bench-render.ts';
import { benchSdk } from './sdk/bench-sdk.ts';
import { benchSmtp } from './smtp/bench-smtp.ts';
import { benchSoak } from './soak/bench-soak.ts';
import { benchStats } from './stats/bench-stats.ts';
import { benchDispatch } from './webhooks/bench-dispatch.ts';
import { benchFleet } from './webhooks/bench-fleet.ts';

const HELP = `usage: pnpm bench [all|accept|bursts|console|deliver|exactness|fairness|growth|hostile|limiter|path|postfix|processes|render|links|smtp|soak|seed|reads|stats|webhooks|webhooks-fleet|receipts|notifications|mcp|sdk|cli] [--count N] [--rounds N] [--minutes N] [--rate N]

all      the short form of every benchmark, and one table of all values and their bounds; the default without a name. --full uses
         the settings that the bounds apply to, takes hours, and saves the results for docs/performance.md; --only NAME,NAME runs some
accept   single sends over 64 connections and batches through the accept queue, against bare INSERTs on the same Postgres
bursts   fifty times the usual clients at once, one account that floods, and 10,000 idle connections, and the effect on other accounts
console  pages of the console with the log of a million messages and a thousand held sends: 200 ms on the server
deliver  the delivery engine through smtp-relay with DKIM, against RSA-2048 alone and nodemailer's pooled transport
limiter  the processor time of the rate limit, against that of the sends it is asked for
links    finding, tagging and tracking the links of a 100 KB newsletter, against a copy of it and parse5
mcp      a tool call by either protocol, against the same REST call, over one connection
receipts decisions with their receipts against bare transactions; signing and verifying --count receipts against bare signatures; and
         the check of a held message at delivery
notifications from a decision to its notification in each of --count MCP sessions, against a bare LISTEN, NOTIFY and SSE write
sdk      a call of the SDK, against a bare undici.request to the same server, over one connection
cli      commands of the CLI, as it is installed and as one file, from start to end, against node -e 0
path     from the request to the recorded delivery, against one transaction and one job per message with nodemailer's pooled transport
postfix  the delivery engine with ten tracked links, against Postfix with OpenDKIM (bench/postfix/install.sh) on the same machine
exactness quota, rates, send limits, idempotency and changes of keys, with 64 clients over four server processes: no tolerance
processes the same sends and deliveries with 1, 2, 4 and 8 processes of one server: messages per second, CPU time and memory
fairness a fresh message beside another account's backlog of 300,000, and healthy destinations beside dead ones
growth   accepting and delivering with 5,000,000 stored messages, against an empty database
hostile  /health beside each of 200 hostile requests: 250 ms at p99, and less than 200 MB of memory; --only PART of their names
render   the template stage of a send, against a SELECT 1 round trip and the engine alone
smtp     messages submitted over SMTP, against the SMTP library with nothing behind it
reads    pages, filters, searches and exports of a log of a million messages, against SELECT 1 and COPY on the same Postgres
stats    the statistics of that log over 90 days, each switch and all of them, and the volume
seed     makes the data set that reads reads, which does it by itself where there is none; --database URL, or --data-dir PATH
webhooks events that wait, signed and delivered to a local receiver with every attempt recorded, against a bare loop that signs and posts
webhooks-fleet 100,000 events to twenty endpoints, of which two are dead and six fail 30 % of the time
soak     every role at once for --minutes (10), at --rate messages a second or as many as possible: memory and p99 must stay flat, and the
         tables as small as predicted

All print the machine, the settings, the counts and ratios; a bound that is missed exits with 1.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string' },
    database: { type: 'string' },
    only: { type: 'string' },
    full: { type: 'boolean', default: false },
    'data-dir': { type: 'string', default: DEFAULT_DATA_DIR },
    help: { type: 'boolean', default: false },
  },
});
const [name = 'all'] = positionals;
const rounds = Number(values.rounds);
const place = { databaseUrl: values.database ?? null, dataDir: values['data-dir'] };
const GROWTH_DATA_DIR = join(tmpdir(), 'postrider-bench-growth');
const logCount = Number(values.count ?? 1_000_000);

const BENCHMARKS: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  all: () => benchAll({ isFull: values.full, only: values.only?.split(',') ?? [] }),
  accept: () => benchAccept({ count: Number(values.count ?? 12_000), rounds }),
  bursts: () => benchBursts({ rounds }),
  console: () => benchConsole(place, { count: logCount, rounds: Math.max(rounds, 20) }),
  deliver: () => benchDeliver({ count: Number(values.count ?? 12_000), rounds }),
  path: () => benchPath({ count: Number(values.count ?? 5_000), rounds }),
  postfix: () => benchPostfix({ count: Number(values.count ?? 2_000), rounds }),
  fairness: () => benchFairness({ count: Number(values.count ?? 300_000), rounds }),
  exactness: () => benchExactness({ count: Number(values.count ?? 3_000) }),
  growth: () =>
    benchGrowth({
      count: Number(values.count ?? 5_000_000),
      rounds,
      dataDir: values['data-dir'] === DEFAULT_DATA_DIR ? GROWTH_DATA_DIR : values['data-dir'],
    }),
  hostile: () => benchHostile({ count: Number(values.count ?? 1_000), only: values.only ?? null }),
  processes: () => benchProcesses({ count: Number(values.count ?? 4_000) }),
  limiter: () => benchLimiter({ count: Number(values.count ?? 12_000), rounds }),
  links: () => benchLinks({ rounds }),
  reads: () => benchReads(place, { count: logCount, rounds }),
  seed: () => benchSeed(place, logCount),
  receipts: () => benchReceipts({ count: Number(values.count ?? 10_000), rounds }),
  notifications: () => benchNotifications({ count: Number(values.count ?? 1_000), rounds }),
  mcp: () => benchMcp({ count: Number(values.count ?? 300), rounds }),
  sdk: () => benchSdk({ count: Number(values.count ?? 1_000), rounds }),
  cli: () => benchCli({ count: Number(values.count ?? 20) }),
  render: () => benchRender({ count: Number(values.count ?? 3_000) }),
  smtp: () => benchSmtp({ count: Number(values.count ?? 4_000), rounds }),
  stats: () => benchStats(place, { count: logCount, rounds: Math.max(rounds, 20) }),
  webhooks: () => benchDispatch({ count: Number(values.count ?? 60_000), rounds }),
  'webhooks-fleet': () => benchFleet({ count: Number(values.count ?? 100_000) }),
  soak: () =>
    benchSoak({ minutes: Number(values.minutes), rate: values.rate === undefined ? null : Number(values.rate) }),
};

const benchmark = BENCHMARKS[name];
if (values.help) console.log(HELP);
else if (benchmark !== undefined) {
  process.exitCode = (await benchmark()) ? 0 : 1;
  note({ kind: 'ended', text: name });
} else {
  console.error(`there is no benchmark ${name}\n\n${HELP}`);
  process.exitCode = 2;
}
