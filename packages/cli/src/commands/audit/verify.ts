import type { ApiConnection } from '../../api-connection.ts';
import { AuditChain } from '../../audit/audit-chain.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { CliFailure, ownFailure } from '../../failure.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../../output/json-value.ts';
import { singleLine } from '../../output/untrusted-text.ts';
import { formFlag } from '../../own-flag.ts';

/** The largest page of the API. */
const PAGE_ROWS = 100;
const REMARK_EVERY = 10_000;

/** Reads the audit log from the newest entry to the oldest and verifies its hash chain. */
export const definition = defineCommand({
  id: 'audit verify',
  about: {
    summary: 'Verify the audit log',
    description:
      'Reads the whole audit log of the account and computes the hash of every entry again on this machine. If an entry was changed, removed or inserted, the command names the first one and exits with code 1. Save the hash that it prints and pass it as `--expect` the next time: this also detects a rewritten log and entries removed from the end. With `--json`: `{ok, entries, lastHash, broken: null | {reason, seq, id, message}}`.',
    needsKey: true,
    scope: 'audit:read',
    examples: ['postrider audit verify', 'postrider audit verify --expect <hash> --json'],
  },
  flags: {
    expect: formFlag('--expect <hash>', 'Hash that an earlier run printed; the log must still contain it.', {
      pattern: /^[0-9a-f]{64}$/,
      letters: 'lower',
      fix: 'Use 64 hexadecimal digits.',
    }),
  },
  async run({ own: { expect = null } }, connection, output) {
    const account = await readAccount(connection);
    const chain = new AuditChain(textOf(account['id']), expect);
    let cursor: string | null = null;
    let count = 0;
    do {
      const query = { limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) };
      const page: JsonRecord = await read(connection, 'audit.list', query);
      for (const entry of recordsOf(page['entries'])) {
        if (entry['hash'] === null) throw withoutHashes();
        chain.add(entry);
        count += 1;
        if (count % REMARK_EVERY === 0) output.remark(`${count} entries read.`);
      }
      cursor = textOf(page['nextCursor']) || null;
    } while (cursor !== null);
    const verdict = chain.finish();
    const { entries, lastHash, broken } = verdict;
    if (output.isJson) output.writeJson({ ok: broken === null, ...verdict });
    else if (broken === null)
      output.writeText(`${entries} ${entries === 1 ? 'entry' : 'entries'} verified.\n${lastHash ?? ''}\n`);
    else output.writeText(`Broken at entry ${broken.seq} (${broken.reason}): ${singleLine(broken.message)}\n`);
    return broken === null ? EXIT_CODES.done : EXIT_CODES.unexpected;
  },
});

/** The API returns hashes only to callers that see every field, which is also what computing them needs. */
function withoutHashes() {
  return ownFailure(
    EXIT_CODES.permission,
    'missing_scope',
    'No permission for this request',
    'The key does not see all fields of the log, so its hashes cannot be computed.',
    'Use a key with audit:read, team:read and webhooks:write, or sign in as an owner or admin (`postrider login`).',
  );
}

/** The account of the key, or of the session if a user calls without a key. */
async function readAccount(connection: ApiConnection): Promise<JsonRecord> {
  const self = await read(connection, 'keys.self', {}).catch(async (error: unknown) => {
    if (!(error instanceof CliFailure) || error.problem.code !== 'missing_key') throw error;
    return await read(connection, 'auth.session', {});
  });
  return isRecord(self['account']) ? self['account'] : {};
}

async function read(
  connection: ApiConnection,
  operation: 'keys.self' | 'auth.session' | 'audit.list',
  query: Readonly<Record<string, unknown>>,
): Promise<JsonRecord> {
  const { data } = await connection.callCommand(operation, { params: {}, query, headers: {}, body: undefined });
  return isRecord(data) ? data : {};
}
