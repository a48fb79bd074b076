import type { TestSession } from './session.ts';
import type { TestApp } from './test-app.ts';

/** Signs a device, such as the command line, in as the user of a session, who allows it to decide. Resolves with its token. */
export async function signInDevice(server: TestApp, { call, account }: TestSession): Promise<string> {
  const { deviceCode, userCode } = (await server.call('POST', '/auth/device', { key: null })).body;
  const rawBody = `user_code=${userCode}&decision=confirm&approvals=yes&account=${account.id}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  await call('POST', '/auth/device/decision', { headers, rawBody });
  return (await server.call('POST', '/auth/device/token', { key: null, body: { deviceCode } })).body.token;
}
