import type { Revision } from './run-suite.ts';

type Expected = Readonly<Record<Revision, readonly string[]>>;

/** Nothing may be listed here. */
export const EXPECTED_OF_TRANSPORT: Expected = { '2025-11-25': [], '2026-07-28': [] };

/**
 * Of our own catalog: every one is a probe of a tool, prompt or resource that only the suite's own catalog has, which the suite cannot
 * distinguish from a failure.
 */
export const EXPECTED_OF_CATALOGUE: Expected = {
  '2025-11-25': [
    'elicitation-sep1034-defaults:elicitation-sep1034-general',
    'elicitation-sep1330-enums:elicitation-sep1330-general',
    'prompts-get-embedded-resource:prompts-get-embedded-resource',
    'prompts-get-simple:prompts-get-simple',
    'prompts-get-with-args:prompts-get-with-args',
    'prompts-get-with-image:prompts-get-with-image',
    'resources-read-binary:resources-read-binary',
    'resources-read-text:resources-read-text',
    'resources-subscribe:resources-subscribe',
    'resources-templates-read:resources-templates-read',
    'resources-unsubscribe:resources-unsubscribe',
    'tools-call-audio:tools-call-audio',
    'tools-call-elicitation:tools-call-elicitation',
    'tools-call-embedded-resource:tools-call-embedded-resource',
    'tools-call-error:tools-call-error',
    'tools-call-image:tools-call-image',
    'tools-call-mixed-content:tools-call-mixed-content',
    'tools-call-sampling:tools-call-sampling',
    'tools-call-simple-text:tools-call-simple-text',
    'tools-call-with-logging:tools-call-with-logging',
    'tools-call-with-progress:tools-call-with-progress',
  ],
  '2026-07-28': [
    'input-required-result-basic-elicitation:sep-2322-elicitation-incomplete',
    'input-required-result-basic-list-roots:sep-2322-list-roots-incomplete',
    'input-required-result-basic-sampling:sep-2322-sampling-incomplete',
    'input-required-result-capability-check:sep-2322-respect-client-capabilities',
    'input-required-result-multi-round:sep-2322-multi-round-r1',
    'input-required-result-multiple-input-requests:sep-2322-multiple-inputs-incomplete',
    'input-required-result-non-tool-request:sep-2322-non-tool-incomplete',
    'input-required-result-request-state:sep-2322-request-state-incomplete',
    'input-required-result-result-type:sep-2322-result-type-included',
    'input-required-result-tampered-state:sep-2322-reject-tampered-state',
    'prompts-get-embedded-resource:prompts-get-embedded-resource',
    'prompts-get-simple:prompts-get-simple',
    'prompts-get-with-args:prompts-get-with-args',
    'prompts-get-with-image:prompts-get-with-image',
    'resources-read-binary:resources-read-binary',
    'resources-read-text:resources-read-text',
    'resources-templates-read:resources-templates-read',
    'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
    'server-stateless:sep-2575-missing-capability-http-400',
    'server-stateless:sep-2575-server-no-log-without-loglevel',
    'server-stateless:sep-2575-server-rejects-undeclared-capability',
    'tools-call-audio:tools-call-audio',
    'tools-call-embedded-resource:tools-call-embedded-resource',
    'tools-call-error:tools-call-error',
    'tools-call-image:tools-call-image',
    'tools-call-mixed-content:tools-call-mixed-content',
    'tools-call-simple-text:tools-call-simple-text',
    'tools-call-with-progress:tools-call-with-progress',
  ],
};
