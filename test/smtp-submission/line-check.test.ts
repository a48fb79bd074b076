import { describe, expect, it } from 'vitest';
import { createLineCheck } from '../../packages/server/src/smtp-submission/line-check.ts';

function look(text: string, cutAt: number): string | null {
  const check = createLineCheck();
  const bytes = Buffer.from(text, 'latin1');
  return check.look(bytes.subarray(0, cutAt)) ?? check.look(bytes.subarray(cutAt)) ?? check.finish();
}

describe('the line endings of a message', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['one\r\ntwo\r\n', null],
    ['\r\n\r\n', null],
    ['one\ntwo\r\n', 'bare LF'],
    ['\none\r\n', 'bare LF'],
    ['one\rtwo\r\n', 'bare CR'],
    ['one\r\r\ntwo\r\n', 'bare CR'],
    ['one\r\n\n', 'bare LF'],
    ['one\r', 'bare CR'],
    ['one\0\r\n', 'NUL'],
  ];

  it('are found to be wrong wherever the stream is split', () => {
    for (const [text, fault] of cases) {
      for (let cutAt = 0; cutAt <= text.length; cutAt += 1)
        expect([text, cutAt, look(text, cutAt)]).toEqual([text, cutAt, fault]);
    }
  });
});
