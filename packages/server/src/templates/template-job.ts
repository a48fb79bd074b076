import type { UsedVariable } from './watch-variables.ts';

/** The parts of a template, in the order in which messages list them. */
export const TEMPLATE_PARTS = ['subject', 'html', 'text'] as const;
export type TemplatePart = (typeof TEMPLATE_PARTS)[number];

/** Liquid sources by part; null for parts that the template does not have. */
export type TemplateSource = { readonly [Part in TemplatePart]: string | null };

/** A job for the worker, which runs one at a time. */
export type TemplateJob =
  | { readonly kind: 'inspect'; readonly source: Partial<TemplateSource> }
  | {
      readonly kind: 'render';
      /** A permanent name of the source, under which the parsed source may be cached; null for sources used once. */
      readonly key: string | null;
      readonly source: TemplateSource;
      /** A part to skip. */
      readonly leaves: TemplatePart | null;
      /** The values as JSON, because parsed JSON has only own properties. */
      readonly variables: string;
      /** Whether to judge what the variables add to the template. */
      readonly judgesValues?: boolean;
    };

/** The variables of each part that was inspected. */
export type PartVariables = { readonly [Part in TemplatePart]?: readonly UsedVariable[] };

/** A fault in a part's Liquid, and its place. */
export interface TemplateFault {
  readonly part: TemplatePart;
  /** Counted from 1. Null if the fault has no place, such as an exceeded limit. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

export type Inspection =
  | { readonly ok: true; readonly variables: PartVariables }
  | { readonly ok: false; readonly faults: readonly TemplateFault[] };

/** What the variables of a rendering added to its template. */
export interface PrintedValues {
  /** The text that placeholders printed, by part. Adjacent placeholders count as one text. */
  readonly texts: { readonly [Part in TemplatePart]: readonly string[] };
  /** Whether a placeholder printed a whole list or object. */
  readonly hasList: boolean;
  /** The parts with a neutral word in place of what placeholders printed, which leaves the template's own text. */
  readonly neutral: TemplateSource;
}

export type Rendering =
  | {
      readonly ok: true;
      readonly subject: string | null;
      readonly html: string | null;
      readonly text: string | null;
      /** The names of variables that the rendering needed but did not get. */
      readonly missing: readonly string[];
      /** What the variables added; null if this was not requested or cannot be determined. */
      readonly values: PrintedValues | null;
    }
  | { readonly ok: false; readonly faults: readonly TemplateFault[] };
