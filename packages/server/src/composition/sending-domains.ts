import { hostname } from 'node:os';
import type { Sql } from '../db/client.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { chooseHeloName } from '../helo-name.ts';
import { createInstallationBox } from '../keys/secret-box.ts';
import type { Unsendable } from '../sending/batch-facts.ts';
import { createDomainChecker } from '../sending-domains/domain-checker.ts';
import { createClaimChallenges } from '../sending-domains/domain-claim.ts';
import type { DomainTools } from '../sending-domains/domain-tools.ts';
import { createKeyAllowance } from '../sending-domains/key-allowance.ts';
import { createKeyMaker } from '../sending-domains/key-maker.ts';
import { type PublicHost, toPublicHost } from '../sending-domains/public-host.ts';
import type { SendingDomains } from '../sending-domains/sending-domains.ts';
import { explainUnsendable } from '../sending-domains/unsendable-domain.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { AppOptions } from './app-options.ts';

/** The names of this installation in the records of sending domains. */
function publicHostOf({ config, baseUrl }: Pick<AppOptions, 'config' | 'baseUrl'>): PublicHost {
  const ownName = chooseHeloName(hostname(), baseUrl, config.sandboxDomain);
  return toPublicHost(config.heloName ?? ownName, ownName);
}

/** The details of a domain in the rejection of a send. */
export function createUnsendable(options: Pick<AppOptions, 'config' | 'baseUrl'>): Unsendable {
  const own = publicHostOf(options);
  return (domain) => explainUnsendable(domain, own);
}

/** Everything about sending domains, as one part. */
export function createSendingDomains(
  options: AppOptions,
  sql: Sql,
  ids: IdGenerator,
  dns: DnsResolver,
  warn: (error: unknown, what: string) => void,
): SendingDomains {
  const { config, clock } = options;
  const tools: DomainTools = {
    sql,
    names: sql,
    clock,
    ids,
    dns,
    secrets: createInstallationBox(config),
    own: publicHostOf(options),
    challenges: createClaimChallenges(config.secretKey(), config.formerSecretKeys()),
    keyMaker: createKeyMaker(createKeyAllowance(sql, clock), options.generateDkimKey),
  };
  return { tools, checker: createDomainChecker(tools, warn) };
}
