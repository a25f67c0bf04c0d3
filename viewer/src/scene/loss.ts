// What is gone after the server was started anew, in a sentence.

import { fixed } from '../numbers/format';
import type { Loss } from '../session/session';

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** Says for how long the server was away and names everything that a person may miss. */
export function lossText({ away, time, snapshots, recording, values }: Loss): string {
  const parameters = Object.keys(values).length;
  const lost = [
    `${fixed(time, 1)} s of simulation and what was done in it`,
    ...(snapshots > 0 ? [count(snapshots, 'snapshot')] : []),
    ...(parameters > 0 ? [`${count(parameters, 'changed parameter')} (${Object.keys(values).join(', ')})`] : []),
  ];
  const list = lost.length > 1 ? `${lost.slice(0, -1).join(', ')} and ${lost.at(-1)}` : lost[0];
  const end = recording === null ? '' : `. The recording ${recording} ends where the connection was lost`;
  return `Away for ${away < 10 ? fixed(away, 1) : fixed(away, 0)} s. Gone: ${list}${end}. The scene begins from its start.`;
}
