import {
  CALLER_POLICY,
  type CallerFacts,
  kindsOfCaller,
  OPERATIONS,
  type Operation,
  refusedKind,
} from '@postrider/core';
import { describe, expect, it } from 'vitest';

const NO_RESTRICTIONS: CallerFacts = {
  ...{ role: null, isDevice: false },
  ...{ isHeld: false, isTest: false, isAllowlisted: false, isLimited: false, isPaused: false },
};
const OPERATIONS_OF_ALL: readonly Operation[] = OPERATIONS;

describe('the policy on reach', () => {
  it('names every kind a caller has, and the strictest verdict counts', () => {
    expect(kindsOfCaller(NO_RESTRICTIONS)).toEqual(['ordinary key']);
    expect(kindsOfCaller({ ...NO_RESTRICTIONS, isTest: true, isLimited: true })).toEqual(['test key', 'limited key']);
    expect(kindsOfCaller({ ...NO_RESTRICTIONS, role: 'owner', isDevice: true })).toEqual(['owner', 'device session']);
    const both = { ...NO_RESTRICTIONS, isLimited: true, isHeld: true };
    expect(refusedKind({ reach: 'controls' }, both)).toBe('held key');
  });

  it('denies a held key everything that shapes mail, notifies or controls, except what becomes a draft', () => {
    const allowed = OPERATIONS_OF_ALL.filter(
      (operation) =>
        operation.reach !== 'none' && refusedKind(operation, { ...NO_RESTRICTIONS, isHeld: true }) === null,
    );
    expect(allowed.filter(({ reach, heldAs }) => reach !== 'outbound' && heldAs !== 'draft')).toEqual([]);
  });

  it('lets a test key control only keys, which compare themselves with it', () => {
    const controls = OPERATIONS_OF_ALL.filter(({ reach }) => reach === 'controls');
    const allowed = controls.filter(
      (operation) => refusedKind(operation, { ...NO_RESTRICTIONS, isTest: true }) === null,
    );
    expect(allowed.map(({ id }) => id.split('.')[0])).toEqual(Array(6).fill('keys'));
  });

  it('lets a paused key stop mail, and control nothing else', () => {
    const controls = OPERATIONS_OF_ALL.filter(({ reach }) => !['none', 'outbound'].includes(reach));
    const allowed = controls.filter(
      (operation) => refusedKind(operation, { ...NO_RESTRICTIONS, isPaused: true }) === null,
    );
    expect(allowed.filter(({ heldAs }) => heldAs !== 'draft').map(({ id }) => id)).toEqual([
      ...['keys.revoke', 'keys.pause', 'account.pause', 'account.resume'],
    ]);
  });

  it('declares that a read reaches nothing, and that a change behind a scope reaches something', () => {
    const reads = OPERATIONS_OF_ALL.filter(({ effect, reach }) => effect === 'read' && reach !== 'none');
    expect(reads.map(({ id }) => id)).toEqual([]);
    const changes = OPERATIONS_OF_ALL.filter(
      ({ access, effect, reach }) =>
        access.kind === 'key' && access.scope !== null && effect !== 'read' && reach === 'none',
    );
    expect(changes.map(({ id }) => id)).toEqual([]);
  });

  it('judges what is outbound for every kind of caller', () => {
    expect(Object.values(CALLER_POLICY).map(({ outbound }) => outbound)).toEqual(
      Object.keys(CALLER_POLICY).map(() => 'judge'),
    );
  });
});
