import { render } from 'ink';
import { createElement } from 'react';
import type { CliIo } from '../../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import type { HeldSends } from '../held-sends.ts';
import { openEditor } from '../open-editor.ts';
import type { TemplateDrafts } from '../template-drafts.ts';
import { createInbox } from './create-inbox.ts';
import { InboxApp } from './inbox-app.ts';

type Suspend = (run: () => Promise<void>) => Promise<void>;

/**
 * Shows the inbox until the user quits. Requires a terminal on stdin and stdout. Rejects with a CliFailure if the first load fails.
 * @param cannotDecide why the caller cannot decide; null if it can
 */
export async function runInbox(
  { heldSends, templateDrafts }: { readonly heldSends: HeldSends; readonly templateDrafts: TemplateDrafts },
  cannotDecide: string | null,
  options: GlobalOptions,
  io: CliIo,
): Promise<ExitCode> {
  const { promise, resolve, reject } = Promise.withResolvers<ExitCode>();
  let suspend: Suspend = async (run) => run();
  const inbox = createInbox({
    heldSends,
    templateDrafts,
    cannotDecide,
    quit: () => resolve(EXIT_CODES.done),
    async edit(file) {
      let edited = file;
      await suspend(async () => {
        edited = await openEditor(file, io);
      });
      return edited;
    },
  });
  await inbox.refresh();
  const isSpoken = io.env['INK_SCREEN_READER'] === 'true';
  const app = createElement(InboxApp, {
    ...{ inbox, hasColor: options.hasColor, isSpoken },
    onReady: (given: Suspend) => {
      suspend = given;
    },
    onInterrupt: () => resolve(EXIT_CODES.interrupted),
    onError: reject,
  });
  // The caller has checked that they are terminals, which only the streams of the process are.
  const [stdout, stdin] = [io.stdout as NodeJS.WriteStream, io.stdin as NodeJS.ReadStream];
  // Before the first draw: otherwise an early key press would be echoed to the screen.
  stdin.setRawMode(true);
  const instance = render(app, {
    ...{ stdout, stdin },
    exitOnCtrlC: false,
    // The previous screen is restored afterwards. With a screen reader, lines must stay in place.
    alternateScreen: !isSpoken,
    isScreenReaderEnabled: isSpoken,
    interactive: true,
  });
  io.signal?.addEventListener('abort', () => resolve(EXIT_CODES.interrupted), { once: true });
  // It ends by itself if drawing fails.
  const exited = instance.waitUntilExit().then(() => resolve(EXIT_CODES.unexpected), reject);
  try {
    return await promise;
  } finally {
    instance.unmount();
    await exited;
    stdin.setRawMode(false);
  }
}
