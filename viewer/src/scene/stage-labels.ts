// Labels over the stage: HTML, placed by projection, evading each other downwards; those that find no room are left out.

export interface StageLabel {
  text: string;
  kind: 'callout' | 'label';
  x: number;
  y: number;
  visible: boolean;
}

const LIMIT = 24;
const HEIGHT = 26;
const CHARACTER = 7;
const PADDING = 18;
const TRIES = 6;

export interface PlacedLabel {
  text: string;
  kind: StageLabel['kind'];
  left: number;
  top: number;
}

/** Where each label goes, callouts first; widths are estimated so that nothing is measured per frame. */
export function arrange(labels: StageLabel[], size: { width: number; height: number }): PlacedLabel[] {
  const placed: (PlacedLabel & { width: number })[] = [];
  const inside = labels.filter(({ x, y, visible }) => visible && x >= 0 && x <= size.width && y >= 0 && y <= size.height);
  for (const { text, kind, x, y } of inside.slice(0, LIMIT)) {
    const width = PADDING + CHARACTER * text.length;
    const left = Math.min(x + 14, size.width - width);
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const top = y - 34 + attempt * HEIGHT;
      const free = placed.every((other) => top >= other.top + HEIGHT || other.top >= top + HEIGHT || left >= other.left + other.width || other.left >= left + width);
      if (!free) continue;
      placed.push({ text, kind, left, top, width });
      break;
    }
  }
  return placed.map(({ text, kind, left, top }) => ({ text, kind, left: Math.round(left), top: Math.round(top) }));
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
    element.style.transform = `translate(${label.left}px, ${label.top}px)`;
  });
}
