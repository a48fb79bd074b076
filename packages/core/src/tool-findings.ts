import { BLOCKLIST_FINDINGS } from './tool-findings/blocklist.ts';
import { DKIM_FINDINGS } from './tool-findings/dkim.ts';
import { DMARC_FINDINGS } from './tool-findings/dmarc.ts';
import type { FindingDefinition } from './tool-findings/finding.ts';
import { INBOX_PLACEMENT_FINDINGS } from './tool-findings/inbox-placement.ts';
import { MX_FINDINGS } from './tool-findings/mx.ts';
import { SPF_FINDINGS } from './tool-findings/spf.ts';

/** The catalog of findings by check and code. docs/tools.md and the OpenAPI document are generated from it. */
export const TOOL_FINDINGS = {
  spf: SPF_FINDINGS,
  dkim: DKIM_FINDINGS,
  dmarc: DMARC_FINDINGS,
  mx: MX_FINDINGS,
  blocklist: BLOCKLIST_FINDINGS,
  'inbox-placement': INBOX_PLACEMENT_FINDINGS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, FindingDefinition>>>>;

export type ToolCheckName = keyof typeof TOOL_FINDINGS;
export type FindingCode<Check extends ToolCheckName> = keyof (typeof TOOL_FINDINGS)[Check] & string;
