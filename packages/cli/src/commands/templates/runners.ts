import type { Runner } from '../../runner.ts';
import { runPreview } from './preview.ts';
import { runPull } from './pull.ts';
import { runPush } from './push.ts';
import { runRollback } from './rollback.ts';

/** What carries out the commands of describe-templates.ts, by their ids. */
export const TEMPLATE_COMMAND_RUNNERS: Readonly<Record<string, Runner | undefined>> = {
  'templates push': runPush,
  'templates pull': runPull,
  'templates preview': runPreview,
  'templates rollback': runRollback,
};
