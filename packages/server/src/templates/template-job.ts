import type { UsedVariable } from './watch-variables.ts';

/** The parts of a template, in the order they are named to people. */
export const TEMPLATE_PARTS = ['subject', 'html', 'text'] as const;
export type TemplatePart = (typeof TEMPLATE_PARTS)[number];

/** Liquid sources by part; null where the template has no such part. */
export type TemplateSource = { readonly [Part in TemplatePart]: string | null };

/** What the worker is asked, one job at a time. */
export type TemplateJob =
  | { readonly kind: 'inspect'; readonly source: Partial<TemplateSource> }
  | {
      readonly kind: 'render';
      /** Names the source for good, so that what was parsed for it may be kept; null for sources that are seen once. */
      readonly key: string | null;
      readonly source: TemplateSource;
      /** A part that is not wanted. */
      readonly leaves: TemplatePart | null;
      /** The values as JSON: what the worker parses has own properties and no others. */
      readonly variables: string;
      /** Whether it is judged what the variables add to the template. */
      readonly judgesValues?: boolean;
    };

/** Each part's variables, for the parts that were asked about. */
export type PartVariables = { readonly [Part in TemplatePart]?: readonly UsedVariable[] };

/** Where and why a part's Liquid is at fault. */
export interface TemplateFault {
  readonly part: TemplatePart;
  /** From 1; null where the fault has no place, such as a limit that was reached. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export type Inspection =
  | { readonly ok: true; readonly variables: PartVariables }
  | { readonly ok: false; readonly faults: readonly TemplateFault[] };

/** What the variables of a rendering added to its template. */
export interface PrintedValues {
  /** What placeholders printed, by part; those with nothing between them are one text. */
  readonly texts: { readonly [Part in TemplatePart]: readonly string[] };
  /** Whether a placeholder printed a whole list or object. */
  readonly hasList: boolean;
  /** The parts with a neutral word in place of what placeholders printed: what the template says by itself. */
  readonly neutral: TemplateSource;
}

export type Rendering =
  | {
      readonly ok: true;
      readonly subject: string | null;
      readonly html: string | null;
      readonly text: string | null;
      /** What the rendering needed and did not get, by name. */
      readonly missing: readonly string[];
      /** What the variables added; null where it was not asked or cannot be known. */
      readonly values: PrintedValues | null;
    }
  | { readonly ok: false; readonly faults: readonly TemplateFault[] };
