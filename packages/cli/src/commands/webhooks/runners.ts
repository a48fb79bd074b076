import type { Runner } from '../../runner.ts';
import { LISTEN_COMMAND, TRIGGER_COMMAND } from './describe-webhooks.ts';
import { runListen } from './run-listen.ts';
import { runTrigger } from './run-trigger.ts';

/** What carries out the commands of describe-webhooks.ts, by their ids. */
export const WEBHOOK_COMMAND_RUNNERS: Readonly<Record<string, Runner | undefined>> = {
  [LISTEN_COMMAND]: runListen,
  [TRIGGER_COMMAND]: runTrigger,
};
