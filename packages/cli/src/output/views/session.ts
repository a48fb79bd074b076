import { isRecord, type JsonRecord, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderSheet } from '../sheet.ts';
import { formatTime } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';

/** Who is signed in, in what role and where. */
export function showSession(session: JsonRecord, output: Output): void {
  const user = isRecord(session['user']) ? session['user'] : {};
  const account = isRecord(session['account']) ? session['account'] : {};
  const text = (record: JsonRecord, name: string) => singleLine(textOf(record[name]));
  output.writeText(
    renderSheet(
      [
        ['person', text(user, 'email')],
        ['name', text(user, 'name')],
        ['role', text(user, 'role')],
        ['account', text(account, 'name')],
        ['account id', text(account, 'id')],
        ['session ends', formatTime(text(session, 'expiresAt'))],
      ],
      output.paint,
    ),
  );
}
