import { parseArgs } from 'node:util';
import { benchAccept } from './accept/bench-accept.ts';
import { benchDeliver } from './deliver/bench-deliver.ts';
import { benchSoak } from './soak/bench-soak.ts';

const HELP = `usage: pnpm bench <accept|deliver|soak> [--count N] [--rounds N] [--minutes N]

accept   single sends over 64 connections and batches through the door, against bare INSERTs on the same Postgres
deliver  the delivery engine through smtp-relay with DKIM, against RSA-2048 alone and nodemailer's pooled transport
soak     both at once for --minutes (10), and whether memory stays under its bound and flat

All print the machine, the settings, the counts and ratios; a bound that is missed exits with 1.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
});
const [name] = positionals;
const rounds = Number(values.rounds);

const BENCHMARKS: Readonly<Record<string, () => Promise<boolean>>> = {
  accept: () => benchAccept({ count: Number(values.count ?? 12_000), rounds }),
  deliver: () => benchDeliver({ count: Number(values.count ?? 3_000), rounds }),
  soak: () => benchSoak({ minutes: Number(values.minutes) }),
};

const benchmark = name === undefined ? undefined : BENCHMARKS[name];
if (values.help || name === undefined) console.log(HELP);
else if (benchmark !== undefined) process.exitCode = (await benchmark()) ? 0 : 1;
else {
  console.error(`there is no benchmark ${name}\n\n${HELP}`);
  process.exitCode = 2;
}
