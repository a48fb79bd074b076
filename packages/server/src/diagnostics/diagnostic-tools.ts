import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import { type Blocklists, createBlocklists } from './blocklists.ts';
import type { LookupBounds } from './bounded-lookups.ts';
import { createSpamdClient, type SpamdClient } from './spamd-client.ts';
import type { BlocklistZone, SpamdAddress } from './tool-settings.ts';

/** What the checks work with beside the DNS. */
export interface DiagnosticTools {
  readonly blocklists: Blocklists;
  /** Null where none is configured. */
  readonly spamd: SpamdClient | null;
  /** Whether the checks that anybody may ask for tell of the public DNS alone: always, save in development. */
  readonly isPublicOnly: boolean;
}

export interface DiagnosticSettings {
  readonly mode: 'development' | 'production';
  readonly blocklists: readonly BlocklistZone[];
  readonly spamd: SpamdAddress | null;
}

/** The largest honest check, a message with links to ten domains, comes to about a hundred questions. */
export const CHECK_BOUNDS: LookupBounds = { questions: 250, timeMs: LIMITS.toolSeconds * 1_000 };

export function createDiagnosticTools({ mode, blocklists, spamd }: DiagnosticSettings, clock: Clock): DiagnosticTools {
  return {
    blocklists: createBlocklists({ zones: blocklists, clock }),
    spamd: spamd === null ? null : createSpamdClient(spamd),
    isPublicOnly: mode !== 'development',
  };
}
