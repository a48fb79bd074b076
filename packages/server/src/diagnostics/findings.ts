import { type FindingCode, type FindingDefinition, TOOL_FINDINGS, type ToolCheckName } from '@postrider/core';

export interface Finding<Code extends string = string> {
  readonly level: FindingDefinition['level'];
  readonly code: Code;
  readonly message: string;
  readonly fix: string;
}

/** The findings of a check so far. */
export interface Findings<Code extends string> {
  /** @param particulars a sentence after the catalog's text; may contain third-party text. */
  add(code: Code, particulars?: string): void;
  has(code: Code): boolean;
  /** The worst first, then in catalog order: lookups run concurrently, and their order must not affect the result. */
  list(): Finding<Code>[];
}

/** A hostile record can break a rule a thousand times. */
const MAX_PER_CODE = 10;
const PARTICULARS_CHARACTERS = 400;
const ORDER: readonly FindingDefinition['level'][] = ['fail', 'warn', 'pass'];

export function createFindings<Check extends ToolCheckName>(check: Check): Findings<FindingCode<Check>> {
  // The table of a check contains all its codes, but the type system cannot follow this through the generic.
  const definitions = TOOL_FINDINGS[check] as Readonly<Record<FindingCode<Check>, FindingDefinition>>;
  const codes = Object.keys(definitions);
  const rankOf = ({ level, code }: Finding) => ORDER.indexOf(level) * codes.length + codes.indexOf(code);
  const found: Finding<FindingCode<Check>>[] = [];
  return {
    add(code, particulars) {
      const { level, message, fix } = definitions[code];
      const whole = particulars === undefined ? message : `${message} ${excerpt(particulars, PARTICULARS_CHARACTERS)}`;
      const alike = found.filter((finding) => finding.code === code);
      if (alike.length >= MAX_PER_CODE || alike.some((finding) => finding.message === whole)) return;
      found.push({ level, code, message: whole, fix });
    },
    has: (code) => found.some((finding) => finding.code === code),
    list: () => found.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.message < b.message ? -1 : 1)),
  };
}

/** Third-party text, truncated. */
export function excerpt(text: string, maxCharacters: number): string {
  return text.length <= maxCharacters ? text : `${text.slice(0, maxCharacters - 1)}…`;
}
