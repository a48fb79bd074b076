import { MESSAGE_STATUSES, type Message, type MessageStatus } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { callTool, type ReportedProgress } from './call-tool.ts';
import { ID, sampleMessage, sampleProblem } from './sample-messages.ts';
import { inSequence, refusal, scriptInvoke } from './scripted-invoke.ts';

const QUEUED = sampleMessage({ status: 'queued' });
const DELIVERED = sampleMessage({ status: 'delivered' });

describe('wait_for_email', () => {
  it('reads once, then waits once for 50 seconds, when progress is not requested', async () => {
    const { invoke, calls } = scriptInvoke({ 'emails.get': inSequence(QUEUED, DELIVERED) });
    await callTool('wait_for_email', { id: ID }, invoke);
    expect(calls.map(({ input }) => [input.params, input.query])).toEqual([
      [{ id: ID }, {}],
      [{ id: ID }, { wait: 50 }],
    ]);
  });

  it('sends no further request when there is an outcome already', async () => {
    const { invoke, calls } = scriptInvoke({ 'emails.get': inSequence(DELIVERED) });
    await callTool('wait_for_email', { id: ID }, invoke);
    expect(calls.map(({ input }) => input.query)).toEqual([{}]);
  });

  it('reports progress to a client that asked for it, until there is an outcome', async () => {
    const progress: ReportedProgress[] = [];
    const { invoke, calls } = scriptInvoke({ 'emails.get': inSequence(QUEUED, QUEUED, QUEUED, DELIVERED) });
    const { structured } = await callTool('wait_for_email', { id: ID, wait: 30 }, invoke, progress);
    expect(calls.map(({ input }) => input.query)).toEqual([{}, { wait: 5 }, { wait: 5 }, { wait: 5 }]);
    expect(progress).toEqual([
      { progress: 5, total: 30, message: 'still queued' },
      { progress: 10, total: 30, message: 'still queued' },
    ]);
    expect(structured).toMatchObject({ settled: true, status: 'delivered' });
  });

  it('never waits longer than the caller asked', async () => {
    const { invoke, calls } = scriptInvoke({ 'emails.get': inSequence(QUEUED) });
    await callTool('wait_for_email', { id: ID, wait: 12 }, invoke, []);
    expect(calls.map(({ input }) => input.query)).toEqual([{}, { wait: 5 }, { wait: 5 }, { wait: 2 }]);
  });

  it.each([51, 60, '60'])('waits 50 seconds when %j were requested, and says so', async (wait) => {
    const { invoke, calls } = scriptInvoke({ 'emails.get': inSequence(QUEUED) });
    const { text } = await callTool('wait_for_email', { id: ID, wait }, invoke);
    expect(calls[1]?.input.query).toEqual({ wait: 50 });
    expect(text).toContain('wait was lowered to 50');
  });

  it.each([0, 61, 'soon'])('passes a time to the API that the API rejects: %j', async (wait) => {
    const { invoke, calls } = scriptInvoke({ 'emails.get': () => refusal(sampleProblem()) });
    const { isError } = await callTool('wait_for_email', { id: ID, wait }, invoke, []);
    expect(calls.map(({ input }) => input.query)).toEqual([{ wait }]);
    expect(isError).toBe(true);
  });

  const settled: readonly MessageStatus[] = [
    'sent',
    'delivered',
    'bounced',
    'complained',
    'failed',
    'suppressed',
    'rejected',
    'expired',
    'canceled',
  ];
  // Object.keys widens to string; the catalog has exactly these names.
  it.each(Object.keys(MESSAGE_STATUSES) as MessageStatus[])('decides whether %s is an outcome', async (status) => {
    const { invoke } = scriptInvoke({ 'emails.get': inSequence(sampleMessage({ status })) });
    const { structured } = await callTool('wait_for_email', { id: ID }, invoke);
    expect(structured['settled']).toBe(settled.includes(status));
  });

  it('returns the present state when the time runs out, and says not to send again', async () => {
    const { invoke } = scriptInvoke({ 'emails.get': inSequence(QUEUED) });
    const { text, structured, isError } = await callTool('wait_for_email', { id: ID, wait: 1 }, invoke);
    expect(isError).toBe(false);
    expect(structured).toMatchObject({ settled: false, status: 'queued' });
    for (const form of [text, JSON.stringify(structured['notes'])]) {
      expect(form).toContain('No outcome yet. Do not send it again: call wait_for_email again.');
    }
  });

  it('says to tell the user about a held message', async () => {
    const { invoke } = scriptInvoke({ 'emails.get': inSequence(sampleMessage({ status: 'pending_approval' })) });
    const { text } = await callTool('wait_for_email', { id: ID }, invoke);
    expect(text).toContain('Held until an approver decides. Do not send it again; tell the user');
  });

  describe('a wait for a held message', () => {
    const hold = (status: 'pending' | 'approved'): NonNullable<Message['approval']> => ({
      ...{ id: ID, status, reasons: ['always'], rejectCode: null, note: null },
      ...{ edited: status === 'approved' ? ['subject'] : [], expiresAt: '2026-02-03T09:00:00.000Z' },
    });
    const held = sampleMessage({ status: 'pending_approval', approval: hold('pending') });
    const scheduledAt = '2026-02-01T09:00:00.000Z';
    const approved = sampleMessage({ status: 'queued', approval: hold('approved'), scheduledAt });

    it.each([null, []])('ends with the decision, though the message is then scheduled', async (progress) => {
      const { invoke, calls } = scriptInvoke({ 'emails.get': inSequence(held, held, approved) });
      const { text, structured } = await callTool('wait_for_email', { id: ID }, invoke, progress);
      expect(calls.map(({ input }) => input.query)).toEqual([{}, { wait: 5 }, { wait: 5 }]);
      expect(structured).toMatchObject({
        settled: false,
        status: 'queued',
        scheduledAt,
        approval: { status: 'approved' },
      });
      for (const form of [text, JSON.stringify(structured['notes'])]) {
        expect(form).toContain('An approver has approved it. No outcome yet, and it is scheduled for 2026-02-01');
      }
      expect(text).toContain('approved after these fields were edited: subject');
    });

    it('continues to the outcome when it was decided before', async () => {
      const { invoke, calls } = scriptInvoke({ 'emails.get': inSequence(approved, DELIVERED) });
      await callTool('wait_for_email', { id: ID }, invoke);
      expect(calls.map(({ input }) => input.query)).toEqual([{}, { wait: 50 }]);
    });
  });

  it('returns the outcome without the content', async () => {
    const { invoke } = scriptInvoke({ 'emails.get': inSequence(DELIVERED) });
    const { text, structured } = await callTool('wait_for_email', { id: ID }, invoke);
    expect(Object.keys(structured).sort()).toEqual([
      'events',
      'id',
      'lastError',
      'notes',
      'recipients',
      'settled',
      'status',
      'subject',
      'to',
    ]);
    expect(text).not.toContain('<p>');
    expect(text).toContain('250 OK');
  });

  it('ends with the error when a read fails on the way', async () => {
    let reads = 0;
    const { invoke } = scriptInvoke({
      'emails.get': () => {
        reads += 1;
        return reads === 1
          ? { ok: true, status: 200, body: QUEUED, headers: {} }
          : refusal(sampleProblem({ code: 'unavailable' }));
      },
    });
    const { text, isError } = await callTool('wait_for_email', { id: ID }, invoke, []);
    expect(isError).toBe(true);
    expect(text).toContain('unavailable');
  });
});
