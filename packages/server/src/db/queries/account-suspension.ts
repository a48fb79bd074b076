import { sql } from '../drizzle.ts';

/** Whether `accounts a` is suspended, explicitly or for its reputation. It is null, not false, if an outer join found no account. */
export const IS_SUSPENDED = sql`(a.suspended_at IS NOT NULL OR a.reputation_level = 'suspended')`;
