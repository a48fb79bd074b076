import { childSettings, serveParent } from '../parts/child.ts';
import { runSmtpLoad, type SmtpLoad } from '../smtp/smtp-load.ts';

childSettings();
serveParent({}, (question) => runSmtpLoad(question as SmtpLoad)); // Sent only by bench-soak.ts.
