import { confirmByPasskey } from './confirm-passkey.ts';
import { startCopying } from './copy.ts';
import { guardDecisions } from './decision-pause.ts';
import { guardDoubleSubmits } from './double-submit.ts';
import { enhanceControls } from './enhance.ts';
import { fillFrames } from './fill-frames.ts';
import { fitFrames } from './fit-frames.ts';
import { keepTyped } from './keep-typed.ts';
import { startKeys } from './keys.ts';
import { startLive } from './live.ts';
import { startPreviews } from './live-preview.ts';
import { keepTimesCurrent, showFirstTimes } from './local-time.ts';
import { startPdfs } from './pdf.ts';
import { closePopoversByEscape } from './popovers.ts';
import { countTicked } from './ticked.ts';
import { startUndo } from './undo.ts';

/** The script of every page of the console. Pages work without it: it adds what they cannot do by themselves. */
enhanceControls(document.body);
startCopying();
startKeys();
guardDecisions();
startUndo();
confirmByPasskey();
guardDoubleSubmits();
countTicked();
closePopoversByEscape();
startPdfs();
keepTimesCurrent();
void showFirstTimes();
keepTyped();
startLive();
startPreviews();
fitFrames();
// After the guards, which know that such a form stays on its page.
fillFrames(document);
