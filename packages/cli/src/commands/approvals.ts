import { findDecidingNotice } from '../approvals/deciding-notice.ts';
import { connectHeldSends } from '../approvals/held-sends.ts';
import { connectTemplateDrafts } from '../approvals/template-drafts.ts';
import { WHO_DECIDES } from '../approvals/who-decides.ts';
import { defineCommand } from '../define-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { renderResult } from '../output/render-result.ts';

/** Opens the inbox at a terminal; elsewhere prints the pending holds as data. */
export const definition = defineCommand({
  id: 'approvals',
  about: {
    summary: 'Decide held sends and template drafts in an inbox',
    description: `Opens the inbox of held sends and template drafts, a live list. For each send it shows every recipient with the blind copies, why it is held, its files, the real target of each link, and its bodies. a approves, e edits it in $EDITOR first, r rejects with a code and a note, space selects several, ? shows all keys. A template draft is shown as a difference from the current version; a publishes it and r discards it. A decision applies only to what you saw: if it changed, you are asked again. Without a terminal, or with \`--json\`, it prints the same as \`postrider approvals list --status pending\`; \`postrider templates drafts\` lists the drafts. ${WHO_DECIDES}`,
    needsKey: true,
    scope: null,
    examples: ['postrider approvals', 'EDITOR="code --wait" postrider approvals', 'postrider approvals --json'],
  },
  async run({ options }, connection, output, io) {
    if (!output.isJson && io.stdout.isTTY === true && io.stdin.isTTY === true) {
      // The terminal UI takes longer to load than everything else, and no other command needs it.
      const { runInbox } = await import('../approvals/inbox/run-inbox.ts');
      const waiting = { heldSends: connectHeldSends(connection), templateDrafts: connectTemplateDrafts(connection) };
      return await runInbox(waiting, await findDecidingNotice(connection), options, io);
    }
    const { data } = await connection.call('approvals.list', { query: { status: 'pending' } });
    if (output.isJson) output.writeJson(data);
    else await renderResult('approvals.list', data, output, new Date());
    return EXIT_CODES.done;
  },
});
