// Icons on a 20 px grid, 1.5 px strokes with round ends, in the colour of the text around them.

const strokes = {
  contact: 'M10 2.5v4M10 13.5v4M2.5 10h4M13.5 10h4',
  force: 'M5.2 14.8 15 5M9.5 4.8H15.2V10.5',
  velocity: 'M2.5 10H16M11.5 5.5 16 10l-4.5 4.5M2.5 6h4M2.5 14h4',
  joint: 'M3.5 16.5 8 12M12 8l4.5-4.5',
  wireframe: 'M3.5 3.5h13v13h-13zM3.5 10h13M10 3.5v13M3.5 16.5l13-13',
  fit: 'M3 6.5V4.5A1.5 1.5 0 0 1 4.5 3h2M13.5 3h2A1.5 1.5 0 0 1 17 4.5v2M17 13.5v2a1.5 1.5 0 0 1-1.5 1.5h-2M6.5 17h-2A1.5 1.5 0 0 1 3 15.5v-2',
  fullscreen: 'M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4',
  search: 'M13.2 13.2 17 17',
  book: 'M10 5.2C8.6 4 6.6 3.7 3 3.8v11.4c3.6-.1 5.6.2 7 1.4 1.4-1.2 3.4-1.5 7-1.4V3.8c-3.6-.1-5.6.2-7 1.4zM10 5.2v11.4',
  sun: 'M10 2v1.8M10 16.2V18M2 10h1.8M16.2 10H18M4.3 4.3l1.3 1.3M14.4 14.4l1.3 1.3M4.3 15.7l1.3-1.3M14.4 5.6l1.3-1.3',
  moon: 'M16.6 12.2A7 7 0 0 1 7.8 3.4a7 7 0 1 0 8.8 8.8z',
  help: 'M7.9 7.9a2.1 2.1 0 1 1 3.2 1.8c-.8.5-1.1.9-1.1 1.7',
  settings: 'M2.5 6h6M13 6h4.5M2.5 14H5M9.5 14h8',
  panel: 'M3 4h14v12H3zM12.5 4v12',
  chart: 'M3 3v14h14M6 13l3-4 3 2 4-6',
  close: 'M5 5l10 10M15 5 5 15',
  check: 'M4 10.5 8 14.5 16 6',
  chevronRight: 'M8 5l5 5-5 5',
  chevronDown: 'M5 8l5 5 5-5',
  chevronLeft: 'M12 5l-5 5 5 5',
  reset: 'M4.2 7.6A6.4 6.4 0 1 1 3.6 10M4 3.8v4h4',
  download: 'M10 3v9M6.5 8.8 10 12.3l3.5-3.5M4 16.5h12',
  table: 'M3 4h14v12H3zM3 8h14M3 12h14M8 8v8',
  warning: 'M10 3.2 17.6 16.5H2.4zM10 8v4',
  plug: 'M7 2.8v4M13 2.8v4M5 6.8h10v2.4a5 5 0 0 1-10 0zM10 14.2v3.3',
  hand: 'M6.5 10V5.3a1.2 1.2 0 0 1 2.4 0V9M8.9 9V4a1.2 1.2 0 0 1 2.4 0v5M11.3 9V5a1.2 1.2 0 0 1 2.4 0v5.5M13.7 8a1.2 1.2 0 0 1 2.4 0v4c0 3-2 5-4.8 5-2.2 0-3.4-.9-4.5-2.7L4.2 10.9a1.2 1.2 0 0 1 2-1.3l1.3 1.7',
  info: 'M10 9.2v4.3',
} as const;

const filled = {
  play: 'M6.2 3.9v12.2c0 .5.6.8 1 .5l9-6.1a.6.6 0 0 0 0-1l-9-6.1c-.4-.3-1 0-1 .5z',
  pause: 'M6 4h2.4v12H6zM11.6 4H14v12h-2.4z',
  step: 'M4.5 4.4v11.2c0 .5.6.8 1 .5l8-5.6a.6.6 0 0 0 0-1l-8-5.6c-.4-.3-1 0-1 .5zM14.6 4H16.3v12h-1.7z',
} as const;

const extras: Partial<Record<keyof typeof strokes, preact.JSX.Element>> = {
  contact: <circle cx="10" cy="10" r="2.2" fill="currentColor" stroke="none" />,
  force: <circle cx="5" cy="15" r="2" fill="currentColor" stroke="none" />,
  joint: <circle cx="10" cy="10" r="2.6" />,
  fit: <circle cx="10" cy="10" r="2.6" />,
  search: <circle cx="8.8" cy="8.8" r="5.3" />,
  sun: <circle cx="10" cy="10" r="3.4" />,
  help: (
    <>
      <circle cx="10" cy="10" r="7.3" />
      <circle cx="10" cy="13.8" r=".9" fill="currentColor" stroke="none" />
    </>
  ),
  settings: (
    <>
      <circle cx="10.7" cy="6" r="2.2" />
      <circle cx="7.2" cy="14" r="2.2" />
    </>
  ),
  warning: <circle cx="10" cy="14.3" r=".9" fill="currentColor" stroke="none" />,
  info: (
    <>
      <circle cx="10" cy="10" r="7.3" />
      <circle cx="10" cy="6.5" r=".9" fill="currentColor" stroke="none" />
    </>
  ),
};

export type IconName = keyof typeof strokes | keyof typeof filled;

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  const common = { class: 'icon', width: size, height: size, viewBox: '0 0 20 20', 'aria-hidden': true } as const;
  if (name in filled) {
    return (
      <svg {...common} fill="currentColor">
        <path d={filled[name as keyof typeof filled]} />
      </svg>
    );
  }
  const key = name as keyof typeof strokes;
  return (
    <svg {...common} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">
      <path d={strokes[key]} />
      {extras[key]}
    </svg>
  );
}

/** A disc touching a line. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="8.6" cy="8.6" r="6.4" fill="var(--accent)" />
      <path d="M5.5 21.5 21.5 8.5" fill="none" stroke="currentColor" stroke-width="3.4" stroke-linecap="round" />
    </svg>
  );
}
