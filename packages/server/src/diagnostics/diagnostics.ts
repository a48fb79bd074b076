import type { Clock } from '../clock.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { createDiagnosticTools, type DiagnosticSettings, type DiagnosticTools } from './diagnostic-tools.ts';
import { createReadinessProbe, type ReadinessOptions, type ReadinessProbe } from './readiness.ts';

/** The checks of mail and DNS that users run, and the check of this process itself. */
export interface Diagnostics extends DiagnosticTools {
  readonly readiness: ReadinessProbe;
}

export function createDiagnostics(
  settings: DiagnosticSettings,
  clock: Clock,
  dns: DnsResolver,
  probed: ReadinessOptions,
  processes = 1,
): Diagnostics {
  return { ...createDiagnosticTools(settings, clock, dns, processes), readiness: createReadinessProbe(probed) };
}
