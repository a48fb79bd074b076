import type { Session } from '@postrider/sdk';
import { isRecord, type JsonRecord, type Shown, textOf } from '../json-value.ts';
import type { Output } from '../output.ts';
import { renderSheet } from '../sheet.ts';
import { formatTime } from '../time.ts';
import { singleLine } from '../untrusted-text.ts';
import { defineView, type RecordView } from '../view.ts';

export const HOW_TO_DECIDE =
  'This sign-in cannot approve or reject held sends. To allow it, run postrider login again and tick “Approve and reject held sends” on the page.';

/** Whether the session cannot decide held sends although the role of the user allows it. */
export function decidesNothing(session: JsonRecord): boolean {
  const { device, user } = session;
  const role = isRecord(user) ? user['role'] : null;
  return isRecord(device) && device['approvals'] === false && mayRoleDecide(String(role));
}

export function mayRoleDecide(role: string): boolean {
  return DECIDING_ROLES.has(role);
}

const DECIDING_ROLES: ReadonlySet<string> = new Set(['owner', 'admin', 'approver']);

function deciding(session: JsonRecord): string {
  const { device } = session;
  return isRecord(device) && device['approvals'] === true ? 'can approve and reject' : 'cannot approve or reject';
}

/** The signed-in user with role and account. */
export function showSession(session: Shown<Session>, output: Output): void {
  const user = isRecord(session['user']) ? session['user'] : {};
  const account = isRecord(session['account']) ? session['account'] : {};
  const device = isRecord(session['device']) ? session['device'] : {};
  const text = (record: JsonRecord, name: string) => singleLine(textOf(record[name]));
  output.writeText(
    renderSheet(
      [
        ['user', text(user, 'email')],
        ['name', text(user, 'name')],
        ['role', text(user, 'role')],
        ['account', text(account, 'name')],
        ['account id', text(account, 'id')],
        ['client', text(device, 'client')],
        ['held sends', isRecord(session['device']) ? deciding(session) : ''],
        ['session ends', formatTime(text(session, 'expiresAt'))],
      ],
      output,
    ),
  );
}

/** The records of these views. */
export const VIEWS: readonly RecordView[] = [defineView(['Session'], showSession)];
