import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { type Blocklists, createBlocklists } from './blocklists.ts';
import { type CheckRunner, checkLimitsOf, createCheckRunner } from './check-runner.ts';
import { createSpamdClient, type SpamdClient } from './spamd-client.ts';
import type { BlocklistZone, SpamdAddress } from './tool-settings.ts';

/** The data sources of the checks besides DNS. */
export interface DiagnosticTools {
  readonly blocklists: Blocklists;
  readonly checks: CheckRunner;
  /** Null if none is configured. */
  readonly spamd: SpamdClient | null;
  /** Whether the public checks only show the public DNS: always, except in development. */
  readonly isPublicOnly: boolean;
}

export interface DiagnosticSettings {
  readonly mode: 'development' | 'production';
  readonly blocklists: readonly BlocklistZone[];
  readonly spamd: SpamdAddress | null;
}

export function createDiagnosticTools(
  { mode, blocklists, spamd }: DiagnosticSettings,
  clock: Clock,
  dns: DnsResolver,
  processes: number,
): DiagnosticTools {
  const isPublicOnly = mode !== 'development';
  return {
    checks: createCheckRunner({ dns, clock, isPublicOnly, ...checkLimitsOf(processes) }),
    blocklists: createBlocklists({ zones: blocklists, clock }),
    spamd: spamd === null ? null : createSpamdClient(spamd),
    isPublicOnly,
  };
}
