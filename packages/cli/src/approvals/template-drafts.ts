import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import type { CallInput } from '../operation-types.ts';
import { recordsOf, textOf } from '../output/json-value.ts';
import { readDraft, type TemplateDraft } from './template-draft.ts';

type Query = NonNullable<CallInput<'templates.drafts'>['query']>;

export type DraftDecision = 'publish' | 'discard';

export type DraftResult =
  | { readonly kind: 'decided' }
  /** It differs from what was shown. `draft` is its present state: the same draft with another current version, or its author's next draft. */
  | { readonly kind: 'changed'; readonly draft: TemplateDraft }
  /** It was published, discarded or replaced. */
  | { readonly kind: 'gone' };

export interface DraftList {
  /** Newest first. */
  readonly drafts: readonly TemplateDraft[];
  /** Can be higher than the number listed. */
  readonly total: number;
  /** Whether a draft that is not listed does not exist. */
  readonly isComplete: boolean;
}

/** The template drafts on the server. Calls reject with a CliFailure. */
export interface TemplateDrafts {
  list(): Promise<DraftList>;
  /** Decides exactly the draft that was shown, with the version that was current then. */
  decide(draft: TemplateDraft, decision: DraftDecision): Promise<DraftResult>;
}

const PAGE_ROWS = 100;
/** A page ends at 8 MB of bodies, and the inbox reads the list every few seconds. */
const PAGES_MAX = 2;

/** The responses that say that the draft is no longer what was shown. A template that had no other version is removed with its draft. */
const OVERTAKEN = ['approval_changed', 'approval_already_decided', 'not_found'];

export function connectTemplateDrafts(connection: ApiConnection): TemplateDrafts {
  async function list(): Promise<DraftList> {
    const drafts = new Map<string, TemplateDraft>();
    let total = 0;
    let cursor: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const query: Query = { limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) };
      const { record: page } = await connection.call('templates.drafts', { query });
      for (const draft of recordsOf(page.drafts).map(readDraft)) drafts.set(draft.id, draft);
      total = typeof page.total === 'number' ? page.total : drafts.size;
      cursor = textOf(page.nextCursor) || null;
      if (cursor === null) break;
    }
    return { drafts: [...drafts.values()], total: Math.max(total, drafts.size), isComplete: cursor === null };
  }

  return {
    list,
    async decide(draft, decision) {
      const { templateId, version, contentHash } = draft;
      const input = { params: { id: templateId }, body: { version, contentHash } };
      try {
        await connection.call(decision === 'publish' ? 'templates.publish' : 'templates.discard', input);
        return { kind: 'decided' };
      } catch (error) {
        if (!(error instanceof CliFailure) || !OVERTAKEN.includes(error.problem.code)) throw error;
        const { drafts } = await list();
        const now = drafts.find(({ id }) => id === draft.id) ?? successorOf(draft, drafts);
        return now === undefined ? { kind: 'gone' } : { kind: 'changed', draft: now };
      }
    },
  };
}

/** A key has one draft of a template: its next change replaces the draft by another. */
export function successorOf(draft: TemplateDraft, drafts: readonly TemplateDraft[]): TemplateDraft | undefined {
  if (draft.createdBy === null) return undefined;
  return drafts.find(
    ({ templateId, createdBy, version }) =>
      templateId === draft.templateId && createdBy === draft.createdBy && version > draft.version,
  );
}
