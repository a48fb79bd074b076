import type { AccountSql } from '../db/client.ts';
import { type MadeTemplateSource, readTemplateSource } from '../db/queries/template-records.ts';
import type { TemplateReference } from './template-reference.ts';

export interface TemplateSources {
  /** The version that a send refers to, in its present state; null if there is none. */
  find(accountId: string, reference: TemplateReference): Promise<MadeTemplateSource | null>;
}

/**
 * Looks up templates for sends. The items of a batch share one query. Later sends query again, so that
 * they see every change whose response was sent before.
 */
export function createTemplateSources(sqlOf: (accountId: string) => AccountSql): TemplateSources {
  const asked = new Map<string, Promise<MadeTemplateSource | null>>();
  return {
    find: (accountId, { name, version }) => {
      const key = JSON.stringify([accountId, name, version]);
      const running = asked.get(key);
      if (running !== undefined) return running;
      const found = readTemplateSource(sqlOf(accountId), accountId, name, { version, draftsOf: null });
      asked.set(key, found);
      setImmediate(() => asked.delete(key));
      return found;
    },
  };
}
