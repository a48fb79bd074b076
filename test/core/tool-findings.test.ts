import { readFileSync } from 'node:fs';
import { TOOL_FINDINGS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const SCHEMAS = {
  spf: 'SpfFinding',
  dkim: 'DkimFinding',
  dmarc: 'DmarcFinding',
  mx: 'MxFinding',
  blocklist: 'BlocklistFinding',
  'inbox-placement': 'InboxPlacementFinding',
} as const;
const CHECKS = Object.keys(SCHEMAS) as (keyof typeof SCHEMAS)[]; // Object.keys widens to string.
const FINDINGS = CHECKS.flatMap((check) =>
  Object.entries(TOOL_FINDINGS[check]).map(([code, finding]) => ({ check, code, ...finding })),
);

describe('the catalog of findings', () => {
  it.each(FINDINGS)('explains $code and what to do, in sentences', ({ check, code, level, message, fix }) => {
    expect(code).toMatch(new RegExp(`^${check === 'inbox-placement' ? 'inbox' : check}_[a-z]+(_[a-z]+)*$`));
    expect(message).toMatch(/^\P{Ll}.*\.$/su);
    expect(fix).toMatch(/^[A-Z].*\.$/s);
    expect(fix === 'Nothing to do.').toBe(level === 'pass');
  });

  it('has each code once', () => {
    expect(new Set(FINDINGS.map(({ code }) => code)).size).toBe(FINDINGS.length);
  });

  it.each(CHECKS)('matches the OpenAPI document and docs/tools.md in %s', (check) => {
    const document = parse(readFileSync('openapi.yaml', 'utf8'));
    const codes = Object.keys(TOOL_FINDINGS[check]);
    expect(document.components.schemas[SCHEMAS[check]].properties.code.enum).toEqual(codes);
    const page = readFileSync('docs/tools.md', 'utf8');
    for (const code of codes) expect(page).toContain(`| \`${code}\` |`);
  });
});
