import { COMMANDS } from '@postrider/cli';
import { OPERATIONS, type Operation } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { parseTime } from '../../packages/cli/src/parser/time-form.ts';

const TIMES = [
  ...['2026-01-31T09:00:00Z', '2026-01-31t09:00:00z', '2026-01-31T09:00Z', '2026-01-31T09:00:00.123456+02:00'],
  ...['2026-01-31T09:00:00 02:00', '2026-01-31T09:00:00-0800', '2026-01-31T09:00:00,5Z'],
];
const DATES = ['2026-01-31'];
const DURATIONS = ['PT2H', 'P1DT1.5H', 'P1Y2M3W4DT5H6M7,5S', 'PT90S'];
const OTHERS = ['yesterday', 'now', '2026', '31.01.2026', '1769850000', '2026-01-31 09:00:00', ''];

describe('the form of a time', () => {
  // The schemas in the contract: what they accept decides, since the CLI must not refuse it.
  const inputs = COMMANDS.flatMap(({ id, inputs }) =>
    inputs.flatMap(({ name, place, key, value }) =>
      value.kind === 'time' ? [{ id, name, place, key, or: value.or }] : [],
    ),
  );

  it.each(inputs)('accepts every text that the API accepts: $id $name', ({ id, place, key, or }) => {
    const operation = (OPERATIONS as readonly Operation[]).find((one) => one.id === id);
    const part = place === 'query' ? operation?.query : operation?.body;
    for (const text of [...TIMES, ...DATES, ...DURATIONS, ...OTHERS]) {
      const issues = part?.safeParse({ [key]: text }).error?.issues ?? [];
      const isAccepted = !issues.some(({ path }) => path[0] === key);
      if (isAccepted) expect(parseTime(text, or)).toBe(text);
    }
  });

  it('is checked for every filter by time, schedule and expiry', () => {
    const named = (name: string) => inputs.filter((input) => input.name === name).map(({ or }) => or);
    expect(new Set(named('from').concat(named('to'), named('since'), named('until')))).toEqual(new Set(['date']));
    expect(new Set(named('scheduled_at'))).toEqual(new Set(['duration']));
    expect(new Set(named('expiresAt'))).toEqual(new Set([null]));
  });

  it.each(OTHERS)('does not accept "%s"', (text) => {
    expect(() => parseTime(text, 'date')).toThrow('Use a time with an offset such as');
  });
});
