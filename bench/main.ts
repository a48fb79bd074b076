import { parseArgs } from 'node:util';
import { benchAccept } from './accept/bench-accept.ts';

const HELP = `usage: pnpm bench <accept|deliver> [--count N] [--rounds N] [--minutes N]

accept   single sends over 64 connections and batches through the door, against bare INSERTs on the same Postgres
deliver  the delivery engine through smtp-relay with DKIM, against RSA-2048 alone and nodemailer's pooled transport

Both print the machine, the settings, the counts and ratios; a bound that is missed exits with 1.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '12000' },
    rounds: { type: 'string', default: '5' },
    help: { type: 'boolean', default: false },
  },
});
const [name] = positionals;
const options = { count: Number(values.count), rounds: Number(values.rounds) };
if (values.help || name === undefined) console.log(HELP);
else if (name === 'accept') process.exitCode = (await benchAccept(options)) ? 0 : 1;
else {
  console.error(`there is no benchmark ${name}\n\n${HELP}`);
  process.exitCode = 2;
}
