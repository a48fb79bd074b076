import type { RawResult } from '../../console-page.ts';
import type { PageForm } from '../../page-form.ts';

/** What the script shows after it has sent a decision (packages/server/client/undo.ts). */
export interface ScriptResult {
  readonly isDone: boolean;
  readonly message: string;
  /** The page that shows what happened. */
  readonly href: string;
}

/** Whether the script sends the form, which shows the result itself. */
export function isFromScript(form: PageForm): boolean {
  return form.has('byScript');
}

export function scriptResult(status: number, result: ScriptResult): RawResult {
  return {
    ...{ kind: 'raw', status, contentType: 'application/json; charset=utf-8' },
    headers: { 'cache-control': 'no-store' },
    body: JSON.stringify(result),
  };
}

export function fieldsIn(form: PageForm): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of form.entries()) fields.append(name, value);
  return fields;
}
