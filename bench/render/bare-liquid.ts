import { createLiquidEngine } from '../../packages/server/src/templates/liquid-engine.ts';
import type { RECEIPT } from './receipt-template.ts';

const LIMITS = { sourceCharacters: 2_000_000, memoryUnits: Number.MAX_SAFE_INTEGER };

/** The Liquid engine in the caller's thread with parsed templates: the lower bound of rendering. */
export function createBareLiquid({ subject, html, text }: typeof RECEIPT) {
  const escaping = createLiquidEngine(true, LIMITS);
  const plain = createLiquidEngine(false, LIMITS);
  const parsed = { subject: plain.parse(subject), html: escaping.parse(html), text: plain.parse(text) };
  return {
    render: (variables: Readonly<Record<string, unknown>>) => [
      plain.renderSync(parsed.subject, { ...variables }),
      escaping.renderSync(parsed.html, { ...variables }),
      plain.renderSync(parsed.text, { ...variables }),
    ],
  };
}
