import { defineCommand } from '../../define-command.ts';
import { NAMED_DOMAIN, withDomainId } from '../../domains/named-domain.ts';
import { watchDomain } from '../../domains/watch-domain.ts';
import { EXIT_CODES } from '../../exit-codes.ts';
import { textOf } from '../../output/json-value.ts';
import { numberFlag, switchFlag } from '../../own-flag.ts';

const WATCH_SECONDS_DEFAULT = 600;
const WATCH_SECONDS_MAX = 86_400;
const { done, waitTimedOut } = EXIT_CODES;

export const definition = defineCommand({
  ...NAMED_DOMAIN,
  id: 'domains.verify',
  flags: {
    watch: switchFlag(
      '--watch',
      `Check repeatedly, at growing intervals, until the domain is verified (exit code ${done}) or the time is up (${waitTimedOut}).`,
    ),
    for: numberFlag(
      '--for <seconds>',
      `How long to watch, 1 to ${WATCH_SECONDS_MAX} seconds; ${WATCH_SECONDS_DEFAULT} by default.`,
      { min: 1, max: WATCH_SECONDS_MAX, noun: 'whole seconds' },
      { implies: 'watch' },
    ),
  },
  async run(invocation, connection, output, io) {
    const { watch, for: seconds = WATCH_SECONDS_DEFAULT } = invocation.own;
    if (watch !== true) return await NAMED_DOMAIN.run(invocation, connection, output, io);
    const { values } = await withDomainId(invocation, connection);
    return await watchDomain({ id: textOf(values['id']), seconds }, connection, output, io);
  },
});
