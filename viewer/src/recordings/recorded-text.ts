/** When something was recorded, as people say it; both in Unix seconds. */
export function recordedText(recorded: number, now: number): string {
  const ago = now - recorded;
  if (ago < 60) return 'just now';
  if (ago < 3600) return `${Math.floor(ago / 60)} min ago`;
  const date = new Date(1000 * recorded);
  const sameDay = new Date(1000 * now).toDateString() === date.toDateString();
  const time = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  return sameDay ? `today ${time}` : `${date.toLocaleDateString()} ${time}`;
}
