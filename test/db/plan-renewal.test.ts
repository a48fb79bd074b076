import { describe, expect, it } from 'vitest';
import { createPlanRenewal, type Pool } from '../../packages/server/src/db/client.ts';

describe('renewing the plans of a pool', () => {
  it('gives back the connections that it got if another cannot be had', async () => {
    let [asked, released] = [0, 0];
    const connection = { run: async () => [], release: () => (released += 1) };
    const reserve = async () => {
      asked += 1;
      if (asked === 1) throw new Error('no connection');
      return connection;
    };
    const renew = createPlanRenewal({ reserve } as unknown as Pool, 3);
    await expect(renew()).rejects.toThrow('no connection');
    expect({ asked, released }).toEqual({ asked: 3, released: 2 });
  });
});
