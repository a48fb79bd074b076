import { access, constants } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { serveZones } from './serve-zones.ts';

/** Output streams. */
export interface LocalDnsIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
}

const USAGE = `Usage: node tools/local-dns/main.ts <zone file>... [--port 5353]

Serves DNS on 127.0.0.1 from zone files, as \`postrider domains records <domain> --zone\` prints them.
The files are read again for each query. Point the server at it with POSTRIDER_DNS_SERVERS.

  --port <number>  The UDP port, 5353 unless given; 0 for a free one.
  -h, --help       This text.
`;

interface LocalDnsOrder {
  readonly files: readonly string[];
  readonly port: number;
  readonly isHelp: boolean;
}

/** Serves the zone files in the arguments. Returns the exit code: 0 while it serves, 2 for wrong arguments, 1 if it cannot start. */
export async function runLocalDns(argv: readonly string[], io: LocalDnsIo): Promise<number> {
  let order: LocalDnsOrder;
  try {
    order = readOrder(argv);
  } catch (error) {
    io.stderr.write(`${messageOf(error)}\n\n${USAGE}`);
    return 2;
  }
  if (order.isHelp) {
    io.stdout.write(USAGE);
    return 0;
  }
  try {
    // Checked once: later a file may be missing for a moment while it is rewritten, and those queries get no response.
    for (const file of order.files) await access(file, constants.R_OK);
    const { address } = await serveZones(order.files, order.port);
    io.stdout.write(`serving DNS at ${address} from ${order.files.join(', ')}\n`);
    return 0;
  } catch (error) {
    io.stderr.write(`${messageOf(error)}\n`);
    return 1;
  }
}

/** Throws if the arguments are invalid. */
function readOrder(argv: readonly string[]): LocalDnsOrder {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { port: { type: 'string', default: '5353' }, help: { type: 'boolean', short: 'h', default: false } },
    allowPositionals: true,
  });
  const port = Number(values.port);
  if (!values.help && positionals.length === 0) throw new Error('Name the zone files to serve.');
  if (!/^\d+$/.test(values.port) || port > 65_535) throw new Error('--port takes a number from 0 to 65535.');
  return { files: positionals, port, isHelp: values.help };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
