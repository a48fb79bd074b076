/** The labels of the two notes differ, because the box of a rejection can be open beside the note of an approval. */
export const APPROVAL_NOTE = 'Approval note (optional)';
export const REJECTION_NOTE = 'Rejection note (optional)';
export const NOTE_HINT = 'The sender can read it.';
