import { Agent, request } from 'node:http';

/**
 * Requests `/health` every 20 ms over one connection. A slow response delays the probes behind it, and they count with the time they
 * waited: otherwise a server that was blocked for a second would show as one slow probe among many fast ones.
 */
const EVERY_MS = 20;
const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let latenciesMs: number[] = [];
let isEnding = false;

function probe(): Promise<number> {
  const beganMs = performance.now();
  return new Promise((resolve) => {
    const outgoing = request({ host: '127.0.0.1', port, path: '/health', agent }, (incoming) => {
      incoming.resume();
      incoming.once('end', () => resolve(performance.now() - beganMs));
    });
    // The next probe reopens a closed connection.
    outgoing.once('error', () => resolve(performance.now() - beganMs));
    outgoing.end();
  });
}

async function run(): Promise<void> {
  for (;;) {
    const tookMs = await probe();
    for (let leftMs = tookMs; leftMs >= 0; leftMs -= EVERY_MS) {
      latenciesMs.push(leftMs);
      if (leftMs <= EVERY_MS) break;
    }
    if (isEnding) {
      process.send?.(latenciesMs);
      isEnding = false;
    }
    if (tookMs < EVERY_MS) await new Promise((resolve) => setTimeout(resolve, EVERY_MS - tookMs));
  }
}

process.on('disconnect', () => process.exit(0));
process.on('message', (message) => {
  if (message === 'begin') latenciesMs = [];
  // The probe in progress may be the one that is delayed, so it counts too.
  else isEnding = true;
});
process.send?.('ready');
void run();
