import type { Sql } from '../db/client.ts';
import { readDomain } from '../db/queries/domains.ts';
import type { DomainChecker } from '../sending-domains/domain-checker.ts';
import type { AccountServices, Services } from './context.ts';
import { type AccountPools, bindDatabase } from './database.ts';

/** The maximum number of cached accounts; creating the services again costs microseconds. */
const KEPT_ACCOUNTS = 1_000;

/** Returns the services of an account: those of the installation, with everything that reads or writes bound to the account. */
export function createAccountServices(
  pools: AccountPools,
  whole: () => Services,
): (accountId: string) => AccountServices {
  const kept = new Map<string, AccountServices>();
  return (accountId) => {
    const known = kept.get(accountId);
    if (known !== undefined) return known;
    if (kept.size >= KEPT_ACCOUNTS) kept.clear();
    const made = bindServices(whole(), pools, accountId);
    kept.set(accountId, made);
    return made;
  };
}

function bindServices(services: Services, pools: AccountPools, accountId: string): AccountServices {
  const database = bindDatabase(services.database, pools, accountId);
  const { sql } = database;
  const { domains, auth } = services;
  return {
    ...services,
    database,
    domains: { tools: { ...domains.tools, sql }, checker: limitToAccount(domains.checker, sql) },
    auth: { ...auth, tools: { ...auth.tools, sql } },
  };
}

/**
 * The checker works across accounts, because a lookup may move a name from one account to another. So it runs only for a domain that the
 * account can see.
 */
function limitToAccount(checker: DomainChecker, sql: Sql): DomainChecker {
  return {
    ...checker,
    async check(domain, options) {
      if ((await readDomain(sql, domain.accountId, domain.id)) === null) return null;
      return await checker.check(domain, options);
    },
  };
}
