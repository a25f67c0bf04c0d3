// Labels over the stage: HTML, placed by projection, evading each other downwards; those that find no room are left out.

export interface StageLabel {
  text: string;
  kind: 'callout' | 'label';
  x: number;
  y: number;
  visible: boolean;
}

const LIMIT = 24;
/** Of a label with one line, and of each further line. */
const HEIGHT = 26;
const LINE = 16;
/** Long texts go over several lines of at most this width; `max-width` of the style sheet. */
const WIDEST = 300;
/** The rail covers this much of the left edge. */
const RAIL = 72;
const CHARACTER = 7;
const PADDING = 18;
const TRIES = 6;

export interface PlacedLabel {
  text: string;
  kind: StageLabel['kind'];
  left: number;
  top: number;
  /** What the text may take; where it is one line, it is not broken. */
  widest: number | null;
}

/** Where each label goes, callouts first; widths are estimated so that nothing is measured per frame. */
export function arrange(labels: StageLabel[], size: { width: number; height: number }): PlacedLabel[] {
  const placed: (PlacedLabel & { width: number; height: number })[] = [];
  const widest = Math.max(120, Math.min(WIDEST, size.width - RAIL - 8));
  const inside = labels.filter(({ x, y, visible }) => visible && x >= 0 && x <= size.width && y >= 0 && y <= size.height);
  for (const { text, kind, x, y } of inside.slice(0, LIMIT)) {
    const whole = PADDING + CHARACTER * text.length;
    const width = Math.min(whole, widest);
    // Words do not fill their lines.
    const lines = whole <= widest ? 1 : Math.ceil((1.15 * (whole - PADDING)) / (widest - PADDING));
    const height = HEIGHT + LINE * (lines - 1);
    const left = Math.max(Math.min(x + 14, size.width - width), Math.min(RAIL, x));
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const top = Math.min(y - 34, size.height - height) + attempt * HEIGHT;
      const free = placed.every((other) => top >= other.top + other.height || other.top >= top + height || left >= other.left + other.width || other.left >= left + width);
      if (!free) continue;
      placed.push({ text, kind, left, top, width, height, widest: lines > 1 ? width : null });
      break;
    }
  }
  return placed.map(({ text, kind, left, top, widest: limit }) => ({ text, kind, left: Math.round(left), top: Math.round(top), widest: limit }));
}

/** Writes labels into elements that are kept from frame to frame. */
export function placeLabels(layer: HTMLElement, labels: StageLabel[], size: { width: number; height: number }): void {
  const placed = labels.length === 0 ? [] : arrange(labels, size);
  if (placed.length === 0 && layer.childElementCount === 0) return;
  while (layer.childElementCount < placed.length) layer.append(document.createElement('div'));
  [...layer.children].forEach((child, i) => {
    const element = child as HTMLElement;
    const label = placed[i];
    element.hidden = !label;
    if (!label) return;
    if (element.textContent !== label.text) element.textContent = label.text;
    element.className = label.kind;
    element.style.maxWidth = label.widest === null ? 'none' : `${label.widest}px`;
    element.style.whiteSpace = label.widest === null ? 'nowrap' : 'normal';
    element.style.transform = `translate(${label.left}px, ${label.top}px)`;
  });
}
