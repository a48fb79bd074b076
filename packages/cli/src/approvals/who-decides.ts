export const WHO_DECIDES =
  'Users can decide if their role allows it and they ticked “Approve and reject held sends” at `postrider login`. So can keys with `approvals:decide`, except the key that sent it. If several people must approve, or the key names its approvers, keys can only reject.';

export const FAILED =
  'If the acceptance check then refuses the message, it is approved but not sent, and the exit code is 12.';
