import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';

/** An unpublished version of a template. Its texts are unfiltered: code that shows them must remove control characters. */
export interface TemplateDraft {
  readonly kind: 'draft';
  readonly id: string;
  readonly templateId: string;
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  /** The version that was current when it was written; null for a template without a published version. */
  readonly baseVersion: number | null;
  /** The version that publishing replaces. */
  readonly currentVersion: number | null;
  readonly contentHash: string;
  /** The id of the key that wrote it. */
  readonly createdBy: string | null;
  readonly keyName: string | null;
  readonly createdAt: string;
  readonly note: string | null;
  readonly changes: readonly PartChange[];
}

export interface PartChange {
  readonly part: (typeof PARTS)[number];
  readonly before: string | null;
  readonly after: string | null;
}

const PARTS = ['subject', 'html', 'text'] as const;

export function readDraft(record: JsonRecord): TemplateDraft {
  const text = (name: string) => textOf(record[name]);
  const textOrNull = (name: string) => stringOf(record[name]);
  const version = (name: string) => (typeof record[name] === 'number' ? record[name] : null);
  const changes = isRecord(record['changes']) ? record['changes'] : {};
  return {
    ...{ kind: 'draft', id: text('id'), templateId: text('templateId'), slug: text('slug'), name: text('name') },
    ...{ version: version('version') ?? 0, baseVersion: version('baseVersion') },
    ...{ currentVersion: version('currentVersion'), contentHash: text('contentHash') },
    ...{ createdBy: textOrNull('createdBy'), keyName: textOrNull('keyName') },
    ...{ createdAt: text('createdAt'), note: textOrNull('note') },
    changes: PARTS.flatMap((part): readonly PartChange[] => {
      const change = changes[part];
      if (!isRecord(change)) return [];
      return [{ part, before: stringOf(change['before']), after: stringOf(change['after']) }];
    }),
  };
}

/** `welcome version 4` */
export function nameOf({ slug, version }: Pick<TemplateDraft, 'slug' | 'version'>): string {
  return `${slug} version ${version}`;
}

export function authorOf({ keyName }: Pick<TemplateDraft, 'keyName'>): string {
  return keyName || '(deleted key)';
}

function stringOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
