import { describe, expect, it } from 'vitest';
import { problem } from '../sdk/scripted-server.ts';
import { runAgainst } from './run-in-process.ts';

const FIX = 'Correct the fields named in `errors` and send the request again.';
const SEND = ['send', '--from', 'a@b.test', '--to', 'one@b.test', '--to', 'two'];

const faultOf = (path: string, message = 'is not valid') => ({ path, code: 'invalid', message });

function refusal(errors: readonly ReturnType<typeof faultOf>[]) {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return problem(422, 'validation_failed', {
    detail: `${first?.path}: ${first?.message}${more}.`,
    fix: FIX,
    errors,
  });
}

/** What a terminal shows if the server refuses the command with these errors. */
async function shown(argv: readonly string[], ...errors: readonly ReturnType<typeof faultOf>[]) {
  const { stderr } = await runAgainst([refusal(errors)], argv, { columns: 400, env: { NO_COLOR: '1' } });
  return stderr;
}

describe('an error of the API', () => {
  it('names the flags that set the fields, and of a repeated flag the value', async () => {
    const argv = [...SEND, '--attachments', '[]', '--header', 'X-A: 1', '--utm', '{}'];
    const stderr = await shown(
      argv,
      ...[faultOf('scheduledAt'), faultOf('scheduled_at'), faultOf('to.1'), faultOf('headers.X-A')],
      ...[faultOf('utm.source'), faultOf('attachments.0.filename'), faultOf('idempotency-key'), faultOf('to.9')],
    );
    expect(stderr.split('\n').slice(0, -1)).toEqual([
      'Error: --scheduled-at: is not valid (and 7 more). (validation_failed, 422)',
      '  --scheduled-at: is not valid (invalid)',
      '  --scheduled-at: is not valid (invalid)',
      '  --to two: is not valid (invalid)',
      '  --header X-A: is not valid (invalid)',
      '  --utm (source): is not valid (invalid)',
      '  --attachments (0.filename): is not valid (invalid)',
      '  --idempotency-key: is not valid (invalid)',
      '  --to (9): is not valid (invalid)',
      'Fix: Correct these values and run the command again.',
      'Request: req-1',
    ]);
  });

  it('names the file of --attach', async () => {
    const file = import.meta.filename;
    const stderr = await shown([...SEND, '--attachments', '[{}]', '--attach', file], faultOf('attachments.1'));
    expect(stderr).toContain(`Error: --attach ${file}: is not valid.`);
  });

  it('names a positional argument as help does', async () => {
    expect(await shown(['domains', 'add', 'x'], faultOf('name'))).toContain('Error: <domain>: is not valid.');
  });

  it('names flags in its texts, and does not repeat a single error', async () => {
    const stderr = await shown(SEND, faultOf('html', 'needs `html`, `text` or `template`, and no `utm.source`'));
    expect(stderr).toBe(
      'Error: --html: needs `--html`, `--text` or `--template`, and no `source`. (validation_failed, 422)\n' +
        'Fix: Correct these values and run the command again.\nRequest: req-1\n',
    );
  });

  it('names flags in its fix', async () => {
    const fix = 'Omit `agent_name` and `source`, or use `other`.';
    const { stderr } = await runAgainst([problem(403, 'persona_locked', { fix })], [...SEND, '--json']);
    expect(JSON.parse(stderr).fix).toBe('Omit `--agent-name` and `--source`, or use `other`.');
  });

  it('keeps the path for scripts and adds the flag', async () => {
    const { stderr } = await runAgainst([refusal([faultOf('to.1')])], [...SEND, '--json']);
    expect(JSON.parse(stderr)).toMatchObject({ errors: [{ path: 'to.1', flag: '--to two' }], fix: FIX });
  });

  it('does not refer to a document that a terminal does not show', async () => {
    const fix = 'Use a key that has the scope named in `detail`.';
    const argv = ['emails', 'list'];
    const terminal = { columns: 100, env: { NO_COLOR: '1' } };
    const { stderr } = await runAgainst([problem(403, 'missing_scope', { fix })], argv, terminal);
    expect(stderr).toContain('Fix: Use a key that has this scope.');
  });
});
