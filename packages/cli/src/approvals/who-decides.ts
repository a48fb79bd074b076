export const WHO_DECIDES =
  'Users can decide if their role allows it and they ticked “Approve and reject held sends” at `postrider login`. So can keys with `approvals:decide`, except the key that sent it.';

export const FAILED =
  'Where the acceptance check refuses the message by then, it is approved and yet not sent, and the command ends with 12.';
