// An animated WebP from still ones, which a browser can make: the container only, as Google's WebP Container Specification has it.

/** The four characters, the size and the data of a chunk, padded to an even length. */
function chunk(name, data) {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** The image data of a still WebP: its chunks but for the head of an extended file. */
function imageOf(still) {
  const chunks = [];
  for (let at = 12; at + 8 <= still.length; ) {
    const size = still.readUInt32LE(at + 4);
    const name = still.toString('latin1', at, at + 4);
    if (['ALPH', 'VP8 ', 'VP8L'].includes(name)) chunks.push(still.subarray(at, at + 8 + size + (size % 2)));
    at += 8 + size + (size % 2);
  }
  return Buffer.concat(chunks);
}

/** Plays `stills` (still WebP files of one size) in a loop, each for `ms` milliseconds. */
export function animatedWebp(stills, { width, height, ms }) {
  const size = Buffer.alloc(10);
  size.writeUInt32LE(2, 0); // has animation
  size.writeUIntLE(width - 1, 4, 3);
  size.writeUIntLE(height - 1, 7, 3);
  const loop = Buffer.from([255, 255, 255, 255, 0, 0]); // white behind it, for ever
  const frames = stills.map((still) => {
    const head = Buffer.alloc(16);
    head.writeUIntLE(width - 1, 6, 3);
    head.writeUIntLE(height - 1, 9, 3);
    head.writeUIntLE(ms, 12, 3);
    head[15] = 2; // not blended with the frame before
    return chunk('ANMF', Buffer.concat([head, imageOf(still)]));
  });
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), chunk('VP8X', size), chunk('ANIM', loop), ...frames]);
  return chunk('RIFF', body);
}
