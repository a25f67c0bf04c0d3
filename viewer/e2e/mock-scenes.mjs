// The scenes of the stand-in server: a ball, a mesh, a heap of boxes.

export const STEP = 1 / 240;
export const RADIUS = 0.12;

export const ball = {
  name: 'bouncing-ball', title: 'Bouncing ball', line: 'Falls, bounces, comes to rest', group: 'Contacts', source: 'Textbook', size: '1 body',
  about: 'A ball falls, and each bounce gives back a part of its speed: the coefficient of restitution.', picture: 'pictures/bouncing-ball.png',
  solvers: [{ name: 'event', title: 'Event-driven' }, { name: 'stepping', title: 'Time stepping' }],
};
export const cube = { ...ball, name: 'mesh', title: 'Cube of triangles', line: 'A mesh with an open edge', group: 'Detection', size: '10 triangles', picture: 'pictures/none.png' };

/** So many boxes in a heap that turns slowly: what drawing costs. */
export const heap = { ...ball, name: 'heap', title: 'Heap of boxes', line: 'Ten thousand boxes', size: '10000 bodies', picture: 'pictures/none.png' };
export const HEAP = 10_000;

export function assetsOf(scene) {
  if (scene.name === 'heap') {
    return {
      shapes: [{ kind: 'box', half: [0.1, 0.06, 0.05] }],
      looks: ['#a5573f', '#b5654a', '#8f4a36', '#c07a5c'].map((color) => ({ color, roughness: 0.86, metallic: 0, opacity: 1, pattern: 'plain' })),
      bodies: Array.from({ length: HEAP }, (_, i) => ({ name: `box ${i}`, shape: 0, look: (i * 7) % 4, movable: true })),
      lines: [], camera: { position: [6, 4, 9], target: [0, 1.2, 0] }, ground: 0, moves: true,
    };
  }
  if (scene.name === 'mesh') {
    return {
      shapes: [{ kind: 'mesh', triangles: 10 }],
      looks: [{ color: '#c9c2b2', roughness: 0.7, metallic: 0, opacity: 1, pattern: 'plain' }],
      bodies: [{ name: 'cube', shape: 0, look: 0, movable: false }],
      lines: [
        { name: 'Open edges', role: 'danger', segments: 4, body: 0, visible: true },
        { name: 'Active edges', role: 'ink', segments: 8, body: 0, visible: true },
        { name: 'Box', role: 'accent', segments: 12, body: 0, visible: false },
      ],
      camera: { position: [1.6, 1.3, 2.2], target: [0, 0.5, 0] }, ground: 0, moves: true,
    };
  }
  return {
    shapes: [{ kind: 'sphere', radius: RADIUS }],
    looks: [{ color: '#0a6b75', roughness: 0.55, metallic: 0, opacity: 1, pattern: 'beach-ball' }],
    bodies: [{ name: 'ball', shape: 0, look: 0, movable: true }],
    lines: [], camera: { position: [1.5, 0.95, 2.4], target: [0, 0.52, 0] }, ground: 0, moves: true,
  };
}

const corners = [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]].map((c) => c.map((x) => 0.5 * x));
const faces = [[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [3, 7, 6], [3, 6, 2], [0, 4, 7], [0, 7, 3]];
const edges = [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];
const lineSets = [[[1, 5], [5, 6], [6, 2], [2, 1]], edges.slice(0, 8), edges];

export function shapeBytes() {
  const bytes = Buffer.alloc(12 + 12 * corners.length + 12 * faces.length);
  bytes.write('PRM1'); bytes.writeUInt32LE(corners.length, 4); bytes.writeUInt32LE(faces.length, 8);
  corners.flat().forEach((x, i) => bytes.writeFloatLE(x, 12 + 4 * i));
  faces.flat().forEach((x, i) => bytes.writeUInt32LE(x, 12 + 12 * corners.length + 4 * i));
  return bytes;
}
export function lineBytes(index) {
  const set = lineSets[index];
  const bytes = Buffer.alloc(8 + 24 * set.length);
  bytes.write('PRL1'); bytes.writeUInt32LE(set.length, 4);
  set.flatMap(([a, b]) => [...corners[a], ...corners[b]]).forEach((x, i) => bytes.writeFloatLE(x, 8 + 4 * i));
  return bytes;
}
