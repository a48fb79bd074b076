import { runLocalDns } from './run-local-dns.ts';

/** `node tools/local-dns/main.ts <zone file>…`: to try sending domains on one machine, before anything is published. */
process.exitCode = await runLocalDns(process.argv.slice(2), process);
