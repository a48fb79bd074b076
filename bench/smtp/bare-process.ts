import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { makeCertificate } from '../../test/harness/self-made-certificate.ts';
import { ownUsage, serveParent } from '../parts/child.ts';
import type { SubmissionProcessReady } from './submission-process.ts';

/** The SMTP library alone: accepts every login, and reads and discards every message. */
const server = new SMTPServer({
  ...makeCertificate(['localhost']),
  secure: true,
  logger: false,
  disableReverseLookup: true,
  onAuth: (_auth, _session, done) => done(null, { user: 'anyone' }),
  onData: (stream, _session, done) => {
    stream.resume().once('end', () => done(null, 'queued'));
  },
});
server.listen(0, '127.0.0.1');
await once(server.server, 'listening');
process.on('SIGTERM', () => process.exit(0));
const ready: SubmissionProcessReady = { tlsPort: (server.server.address() as AddressInfo).port };
serveParent(ready, () => Promise.resolve(ownUsage()));
