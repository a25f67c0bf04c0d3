// Binary geometry of docs/protocol.md: triangle meshes (PRM1) and line sets (PRL1).

export interface TriangleData {
  positions: Float32Array;
  indices: Uint32Array;
}

function checkHead(buffer: ArrayBuffer, magic: string, headBytes: number): DataView {
  const view = new DataView(buffer);
  const found = Array.from({ length: Math.min(4, buffer.byteLength) }, (_, i) => String.fromCharCode(view.getUint8(i))).join('');
  if (found !== magic) throw new Error(`geometry starts with "${found}", not with "${magic}"`);
  if (buffer.byteLength < headBytes) throw new Error(`geometry ends within its head of ${headBytes} bytes`);
  return view;
}

function checkLength(buffer: ArrayBuffer, expected: number, what: string): void {
  if (buffer.byteLength !== expected) throw new Error(`${what} need ${expected} bytes, there are ${buffer.byteLength}`);
}

export function parseTriangles(buffer: ArrayBuffer): TriangleData {
  const view = checkHead(buffer, 'PRM1', 12);
  const vertices = view.getUint32(4, true);
  const triangles = view.getUint32(8, true);
  checkLength(buffer, 12 + 12 * vertices + 12 * triangles, `${vertices} vertices and ${triangles} triangles`);
  const indices = new Uint32Array(buffer, 12 + 12 * vertices, 3 * triangles);
  const wrong = indices.find((index) => index >= vertices);
  if (wrong !== undefined) throw new Error(`a triangle names vertex ${wrong} of ${vertices}`);
  return { positions: new Float32Array(buffer, 12, 3 * vertices), indices };
}

export function parseLines(buffer: ArrayBuffer): Float32Array {
  const view = checkHead(buffer, 'PRL1', 8);
  const segments = view.getUint32(4, true);
  checkLength(buffer, 8 + 24 * segments, `${segments} segments`);
  return new Float32Array(buffer, 8, 6 * segments);
}
