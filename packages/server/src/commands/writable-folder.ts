import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../postgres/make-folder.ts';
import { StartError } from './start-error.ts';

/** Creates the data directory if there is none. @throws StartError if it cannot be written */
export function assertWritable(dataDir: string): void {
  const probe = join(dataDir, `.write-probe-${process.pid}`);
  try {
    makeFolder(dataDir, 0o700);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    throw new StartError(
      `The data directory ${dataDir} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      'Make it writable for this user, or choose another one with POSTRIDER_DATA_DIR.',
    );
  }
}
