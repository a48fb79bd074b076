import { runLocalDns } from './run-local-dns.ts';

/** `node tools/local-dns/main.ts <zone file>…`: serves zone files, to try sending domains locally before anything is published. */
process.exitCode = await runLocalDns(process.argv.slice(2), process);
