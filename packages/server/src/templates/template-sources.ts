import type { AccountSql } from '../db/client.ts';
import { type MadeTemplateSource, readTemplateSource } from '../db/queries/template-records.ts';
import type { TemplateReference } from './template-reference.ts';

export interface TemplateSources {
  /** The version a send names, as it stands now; null where there is none. */
  find(accountId: string, reference: TemplateReference): Promise<MadeTemplateSource | null>;
}

/**
 * Looks templates up for sends. The items of a batch ask in the same turn of the event loop and share one query; a later send always asks
 * anew, so that it sees every change that was answered before it came.
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
