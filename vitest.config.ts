import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: process.env['FAULTS'] === 'long' ? [] : ['test/faults/**/*.long.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
