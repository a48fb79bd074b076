import type { TemplateContent } from '../db/queries/templates.ts';
import type { VariablesJson } from '../db/schema/templates.ts';

/** The author and time of a new version. */
export interface VersionMaker {
  readonly accountId: string;
  readonly createdBy: string;
  /** Whether its changes need approval: true for keys in approval mode and for test keys. */
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
  /** Null to leave the slug unchanged. */
  readonly slug: string | null;
  readonly name: string | null;
  /** Omitted parts stay unchanged; the variables are those of the given parts. */
  readonly content: Partial<TemplateContent>;
  readonly variables: VariablesJson;
  readonly rollbackTo: number | null;
  readonly note: string | null;
  /** The version that was read and changed; null to change whatever is current. */
  readonly base: EditBase | null;
}

interface EditBase {
  readonly version: number;
  /** Only drafts of this author are visible to the caller; null: all drafts. */
  readonly draftsOf: string | null;
}

export type EditVerdict =
  /** `version`: the new version, or the unchanged current one. Null if the template has only drafts and the change made no version. */
  | { readonly kind: 'changed'; readonly id: string; readonly version: number | null }
  | { readonly kind: 'not_found' | 'version_not_found' | 'version_is_draft' | 'without_body' | 'slug_taken' }
  /** Another version than the base is current: `version`. */
  | { readonly kind: 'outdated'; readonly version: number | null }
  | { readonly kind: 'renamed_by_draft' | 'too_many_drafts' };
