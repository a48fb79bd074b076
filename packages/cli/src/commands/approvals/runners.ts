import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output/output.ts';
import { renderAnswer } from '../../output/render-answer.ts';
import type { Runner } from '../../runner.ts';
import { findDecidingNotice } from './deciding-notice.ts';
import { APPROVE_COMMAND, EDIT_COMMAND, INBOX_COMMAND, REJECT_COMMAND } from './describe-approvals.ts';
import { connectHeldSends } from './held-sends.ts';
import { runApprove, runReject } from './run-decide.ts';
import { runEdit } from './run-edit.ts';
import { connectTemplateDrafts } from './template-drafts.ts';

export const APPROVAL_COMMAND_RUNNERS: Readonly<Record<string, Runner | undefined>> = {
  [INBOX_COMMAND]: runApprovals,
  [APPROVE_COMMAND]: runApprove,
  [REJECT_COMMAND]: runReject,
  [EDIT_COMMAND]: runEdit,
};

/** The inbox where somebody sits at a terminal; what waits, as data, where nobody does. */
async function runApprovals(
  { options }: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  if (!output.isJson && io.stdout.isTTY === true && io.stdin.isTTY === true) {
    // What draws on terminals takes longer to load than all the rest, and no other command needs it.
    const { runInbox } = await import('./inbox/run-inbox.ts');
    const waiting = { heldSends: connectHeldSends(connection), templateDrafts: connectTemplateDrafts(connection) };
    return await runInbox(waiting, await findDecidingNotice(connection), options, io);
  }
  const query = { status: 'pending' };
  const { data } = await connection.call('approvals.list', { params: {}, query, headers: {}, body: undefined });
  if (output.isJson) output.writeJson(data);
  else renderAnswer('approvals.list', data, output, new Date());
  return EXIT_CODES.done;
}
