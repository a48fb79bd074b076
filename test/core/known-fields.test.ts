import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findOperation, sendRequestSchema } from '../../packages/core/src/index.ts';
import { knownFields, nearestName } from '../../packages/core/src/known-fields.ts';

describe('the fields that a schema accepts', () => {
  it('are found in objects, lists, unions and behind conversions', () => {
    const inner = z.strictObject({ first: z.string(), second: z.string().optional() });
    const schema = z.strictObject({
      one: inner.nullable().optional(),
      many: z.array(inner).default([]),
      either: z.union([z.string(), inner]),
      converted: z.preprocess(
        (value) => value,
        inner.transform(({ first }) => first),
      ),
      text: z.string(),
    });
    expect(knownFields(schema, [])).toEqual(['one', 'many', 'either', 'converted', 'text']);
    for (const path of [['one'], ['many', 3], ['either'], ['converted']])
      expect(knownFields(schema, path)).toEqual(['first', 'second']);
    for (const path of [['text'], ['none'], ['one', 'first'], ['toString'], ['many']])
      expect(knownFields(schema, path)).toEqual([]);
  });

  it('are those of a send, its tracking and its files', () => {
    expect(knownFields(sendRequestSchema, [])).toContain('reply_to');
    expect(knownFields(sendRequestSchema, ['attachments', 0])).toContain('filename');
    expect(findOperation('emails.send').id).toBe('emails.send');
  });
});

describe('the name that was meant', () => {
  const known = ['to', 'cc', 'subject', 'reply_to', 'scheduled_at', 'html', 'metadata'];

  it.each([
    ['replyTo', 'reply_to'],
    ['ReplyTo', 'reply_to'],
    ['reply-to', 'reply_to'],
    ['scheduledAt', 'scheduled_at'],
    ['shceduled_at', 'scheduled_at'],
    ['subjet', 'subject'],
    ['meta_data', 'metadata'],
    ['htlm', 'html'],
  ])('of %s is %s', (given, meant) => {
    expect(nearestName(given, known)).toBe(meant);
  });

  it.each(['body', 'ot', 'x', '', 'recipients', `${'reply_to'.repeat(1_000)}`])('of %s is unknown', (given) => {
    expect(nearestName(given, known)).toBeNull();
  });
});
