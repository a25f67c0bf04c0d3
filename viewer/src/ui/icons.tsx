// Icons on a 20 px grid, 1.5 px strokes with round ends, in the colour of the text around them.

const strokes = {
  contact: 'M10 2.5v4M10 13.5v4M2.5 10h4M13.5 10h4',
  force: 'M5.2 14.8 15 5M9.5 4.8H15.2V10.5',
  velocity: 'M2.5 10H16M11.5 5.5 16 10l-4.5 4.5M2.5 6h4M2.5 14h4',
  joint: 'M3.5 16.5 8 12M12 8l4.5-4.5',
  normal: 'M3 16.5h14M10 16V4M6.8 7.2 10 4l3.2 3.2',
  cone: 'M4 5.2 10 17l6-11.8M4 5.2c0-1.2 2.7-2.2 6-2.2s6 1 6 2.2-2.7 2.2-6 2.2-6-1-6-2.2z',
  centre: 'M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM10 3v14M3 10h14',
  volume: 'M10 2.8 16.5 6.3v7.4L10 17.2l-6.5-3.5V6.3zM3.5 6.3 10 9.8l6.5-3.5M10 9.8v7.4',
  index: 'M3 3h8v8H3zM9 9h8v8H9z',
  label: 'M3 5.5h9l5 4.5-5 4.5H3z',
  trail: 'M2.5 16c2.5 0 2.5-5 5-5s2 3 4 3 2.2-6.5 3.2-8.2',
  distance: 'M3 4v12M17 4v12M5.5 10h9M8 7.5 5.5 10 8 12.5M12 7.5l2.5 2.5-2.5 2.5',
  section: 'M3 5.5 8.5 3v12L3 17.5zM11.5 5h5.5v10h-5.5',
  axes: 'M8 12V3M5.8 5.2 8 3l2.2 2.2M8 12h9M14.8 9.8 17 12l-2.2 2.2M8 12l-5 5M3 13.8V17h3.2',
  translucent: 'M7 7h10v10H7zM3 13V3h10',
  wireframe: 'M3.5 3.5h13v13h-13zM3.5 10h13M10 3.5v13M3.5 16.5l13-13',
  add: 'M10 4v12M4 10h12',
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
  back: 'M5.2 4.2v4h4M5.4 8A6.2 6.2 0 1 1 4 12',
  record: 'M10 2.8a7.2 7.2 0 1 0 0 14.4 7.2 7.2 0 0 0 0-14.4z',
  list: 'M7.5 5h9.5M7.5 10h9.5M7.5 15h9.5M3.5 5h.2M3.5 10h.2M3.5 15h.2',
  split: 'M3 4h14v12H3zM10 4v12',
  headset: 'M4 6.5h12a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2h-2.6c-.7 0-1.2-.4-1.6-1l-.7-1a1.3 1.3 0 0 0-2.2 0l-.7 1c-.4.6-.9 1-1.6 1H4a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2z',
  pin: 'M10 12.5V18M6 12.5h8M7.2 3h5.6M8 3v5l-2 4.5M12 3v5l2 4.5',
  throw: 'M3 16C4.5 9 9 5.2 15 5.2M11.2 2.5 15 5.2l-2.6 3.9',
  trash: 'M3.8 5.5h12.4M8 5.5V3.5h4v2M5.3 5.5l.7 11h8l.7-11M8.4 8.5v5M11.6 8.5v5',
  follow: 'M2.5 10S5.5 5 10 5s7.5 5 7.5 5-3 5-7.5 5-7.5-5-7.5-5z',
  camera: 'M3 6.5h3L7.5 4.5h5L14 6.5h3v9H3z',
  gamepad: 'M6 6.5h8c2.4 0 3.7 2 4 5.5.2 2-1.9 2.7-3 1.3l-1.3-1.8H6.3L5 13.3c-1.1 1.4-3.2.7-3-1.3.3-3.5 1.6-5.5 4-5.5zM6.2 8v2M5.2 9h2M13.4 9h.2',
  compare: 'M4 10h12M7 7l-3 3 3 3M13 7l3 3-3 3',
} as const;

const filled = {
  play: 'M6.2 3.9v12.2c0 .5.6.8 1 .5l9-6.1a.6.6 0 0 0 0-1l-9-6.1c-.4-.3-1 0-1 .5z',
  pause: 'M6 4h2.4v12H6zM11.6 4H14v12h-2.4z',
  stepBack: 'M15.5 4.4v11.2c0 .5-.6.8-1 .5l-8-5.6a.6.6 0 0 1 0-1l8-5.6c.4-.3 1 0 1 .5zM5.4 4H3.7v12h1.7z',
  step: 'M4.5 4.4v11.2c0 .5.6.8 1 .5l8-5.6a.6.6 0 0 0 0-1l-8-5.6c-.4-.3-1 0-1 .5zM14.6 4H16.3v12h-1.7z',
} as const;

const extras: Partial<Record<keyof typeof strokes, preact.JSX.Element>> = {
  contact: <circle cx="10" cy="10" r="2.2" fill="currentColor" stroke="none" />,
  force: <circle cx="5" cy="15" r="2" fill="currentColor" stroke="none" />,
  record: <circle cx="10" cy="10" r="3" fill="currentColor" stroke="none" />,
  follow: <circle cx="10" cy="10" r="2.2" />,
  camera: <circle cx="10" cy="10.8" r="2.6" />,
  label: <circle cx="6" cy="10" r=".9" fill="currentColor" stroke="none" />,
  centre: <path d="M10 3a7 7 0 0 1 7 7h-7zM10 17a7 7 0 0 1-7-7h7z" fill="currentColor" stroke="none" />,
  trail: <circle cx="15.2" cy="4.2" r="2" fill="currentColor" stroke="none" />,
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
