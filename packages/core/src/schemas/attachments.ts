import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { checked } from './parse-steps.ts';
import { headerText } from './text.ts';

/** RFC 2045 type and subtype, with parameters. It becomes a header line, so a quoted value may contain only printable ASCII. */
const CONTENT_TYPE =
  /^[!#$&^_.+\-a-z0-9]+\/[!#$&^_.+\-a-z0-9]+(?: *; *[!#$&^_.+\-a-z0-9]+=(?:"[ !#-[\]-~]*"|[!#$&^_.+\-a-z0-9]+))*$/i;
/** RFC 5322 dot-atom-text around an optional `@`: the allowed text between the angle brackets of Content-ID. */
const CONTENT_ID = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+(?:@[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+)?$/;

/** One file of a send request. Only its shape is checked here; other rules check the content, with their own codes. */
const attachmentSchema = z
  .strictObject({
    filename: headerText(1, LIMITS.filenameCharacters).describe(
      `The name the recipient sees, 1 to ${LIMITS.filenameCharacters} characters; directory parts are removed.`,
    ),
    content: z.string().optional().describe('The file in base64. Pass exactly one of `content` and `url`.'),
    url: z
      .string()
      .max(LIMITS.urlCharacters)
      .optional()
      .describe('An https URL. The server fetches the file before it accepts the send.'),
    content_type: z
      .string()
      .max(LIMITS.contentTypeCharacters)
      .regex(CONTENT_TYPE, 'must be a media type such as `application/pdf`')
      .optional()
      .describe('Media type. Default: derived from the file name.'),
    content_id: z
      .string()
      .min(1)
      .max(LIMITS.contentIdCharacters)
      .regex(CONTENT_ID, 'must be a content id without angle brackets')
      .optional()
      .describe('Makes the file inline. Refer to it in html as `<img src="cid:…">`.'),
  })
  .check(
    checked((attachment, context) => {
      // Passing both is rejected later with the other attachment errors, as `attachment_invalid`.
      if (attachment.content === undefined && attachment.url === undefined) {
        const message = 'needs exactly one of `content` and `url`';
        context.addIssue({ path: ['content'], message, params: { code: 'required' } });
      }
    }),
  )
  .meta({ id: 'Attachment' });

export const attachmentsSchema = z
  .array(attachmentSchema)
  .describe(
    `At most ${LIMITS.attachmentsPerMessage} files, each with \`content\` in base64 or an https \`url\`. The whole encoded message can be at most ${LIMITS.encodedMessageBytes / 1024 / 1024} MB. Executable types (.exe .bat .cmd .com .scr .js .vbs .msi .lnk .jar) are refused.`,
  );
