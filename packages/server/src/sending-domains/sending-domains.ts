import type { DomainChecker } from './domain-checker.ts';
import type { DomainTools } from './domain-tools.ts';

/** Everything that manages and checks sending domains. */
export interface SendingDomains {
  readonly tools: DomainTools;
  readonly checker: DomainChecker;
}
