/** Keys that a slider takes for itself; letters it leaves to the page. */
const SLIDER_KEYS = /^(Arrow|Page|Home|End)/;

/** Whether a key pressed there belongs to a control: letters to a field, arrows to a slider, Space to a box. */
export function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === 'range') return SLIDER_KEYS.test(key);
  if (target instanceof HTMLInputElement && target.type === 'checkbox') return key === ' ';
  return target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}
