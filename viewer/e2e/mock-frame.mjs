// The bytes of a frame of protocol 2, for the stand-in server.

/** A key frame; `poses` is seven numbers per body, `marks` words, `items` [kind, from, to, value], `boxes` [kind, ...11 numbers]. */
export function keyFrame({ version = 2, number, time, acknowledged = 0, flags = 0, track = 0, poses, marks = [], items = [], boxes = [] }) {
  const bodies = poses.length / 7;
  const bytes = Buffer.alloc(56 + 28 * bodies + 4 * marks.length + 32 * items.length + 48 * boxes.length);
  bytes.writeUInt16LE(version, 0);
  bytes.writeUInt16LE(1, 2);
  bytes.writeUInt32LE(number, 4);
  bytes.writeDoubleLE(time, 8);
  [acknowledged, flags | 8, track, 0, bodies, bodies, marks.length, items.length, boxes.length, 0].forEach((word, i) => bytes.writeUInt32LE(word, 16 + 4 * i));
  let at = 56;
  const float = (x) => { bytes.writeFloatLE(x, at); at += 4; };
  const word = (x) => { bytes.writeUInt32LE(x, at); at += 4; };
  poses.forEach(float);
  marks.forEach(word);
  for (const [kind, from, to, value] of items) { word(kind); [...from, ...to, value].forEach(float); }
  for (const [kind, ...rest] of boxes) { word(kind); rest.forEach(float); }
  return bytes;
}
