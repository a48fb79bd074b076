import type { TemplateContent } from '../db/queries/templates.ts';
import type { VariablesJson } from '../db/schema/templates.ts';

/** Who makes a version, and when. */
export interface VersionMaker {
  readonly accountId: string;
  readonly createdBy: string;
  /** Whether what it writes waits for a person: of keys in approval mode, and of test keys. */
  readonly isDrafting: boolean;
  readonly nextId: () => string;
  readonly now: Date;
}

export interface FirstVersion extends TemplateContent {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly variables: VariablesJson;
  readonly note: string | null;
}

export interface TemplateEdit {
  /** Null: as they are. */
  readonly slug: string | null;
  readonly name: string | null;
  /** Parts that are left out stay as they are; the variables are those of the parts given. */
  readonly content: Partial<TemplateContent>;
  readonly variables: VariablesJson;
  readonly rollbackTo: number | null;
  readonly note: string | null;
}

export type EditVerdict =
  /** `version`: the one it made, or the one that stayed the current one; null where it made none of a template with drafts only. */
  | { readonly kind: 'changed'; readonly id: string; readonly version: number | null }
  | { readonly kind: 'not_found' | 'version_not_found' | 'version_is_draft' | 'without_body' | 'slug_taken' }
  | { readonly kind: 'renamed_by_draft' | 'too_many_drafts' };
