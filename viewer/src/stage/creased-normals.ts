// Normals for a triangle mesh as a machinist sees it: smooth where faces meet at a shallow angle, sharp at edges.
// Corners at the same place are joined by their exact coordinates, so that soups with repeated vertices shade alike.

export interface ShadedTriangles {
  positions: Float32Array;
  normals: Float32Array;
}

/** Each corner's normal is the area-weighted mean of the faces around its vertex that are within `crease` (radians) of its own. */
export function creasedNormals(positions: Float32Array, indices: Uint32Array, crease: number): ShadedTriangles {
  const corners = indices.length;
  const vertexOf = weld(positions);
  const areaNormals = faceNormals(positions, indices);
  const facesAround = new Map<number, number[]>();
  for (let corner = 0; corner < corners; corner += 1) {
    const vertex = vertexOf[indices[corner]!]!;
    const face = Math.floor(corner / 3);
    const around = facesAround.get(vertex);
    if (around) around.push(face);
    else facesAround.set(vertex, [face]);
  }
  const limit = Math.cos(crease);
  const outPositions = new Float32Array(3 * corners);
  const normals = new Float32Array(3 * corners);
  for (let corner = 0; corner < corners; corner += 1) {
    const index = indices[corner]!;
    const own = Math.floor(corner / 3);
    let x = 0;
    let y = 0;
    let z = 0;
    for (const face of facesAround.get(vertexOf[index]!)!) {
      if (face !== own && cosine(areaNormals, own, face) < limit) continue;
      x += areaNormals[3 * face]!;
      y += areaNormals[3 * face + 1]!;
      z += areaNormals[3 * face + 2]!;
    }
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    normals.set([x / length, y / length, z / length], 3 * corner);
    outPositions.set(positions.subarray(3 * index, 3 * index + 3), 3 * corner);
  }
  return { positions: outPositions, normals };
}

function weld(positions: Float32Array): Uint32Array {
  const first = new Map<string, number>();
  return Uint32Array.from({ length: positions.length / 3 }, (_, i) => {
    const key = `${positions[3 * i]},${positions[3 * i + 1]},${positions[3 * i + 2]}`;
    const found = first.get(key);
    if (found !== undefined) return found;
    first.set(key, i);
    return i;
  });
}

function faceNormals(p: Float32Array, indices: Uint32Array): Float32Array {
  const normals = new Float32Array(indices.length);
  for (let i = 0; i < indices.length; i += 3) {
    const [a, b, c] = [3 * indices[i]!, 3 * indices[i + 1]!, 3 * indices[i + 2]!];
    const [ux, uy, uz] = [p[b]! - p[a]!, p[b + 1]! - p[a + 1]!, p[b + 2]! - p[a + 2]!];
    const [vx, vy, vz] = [p[c]! - p[a]!, p[c + 1]! - p[a + 1]!, p[c + 2]! - p[a + 2]!];
    normals.set([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], i);
  }
  return normals;
}

function cosine(normals: Float32Array, a: number, b: number): number {
  const [ax, ay, az] = [normals[3 * a]!, normals[3 * a + 1]!, normals[3 * a + 2]!];
  const [bx, by, bz] = [normals[3 * b]!, normals[3 * b + 1]!, normals[3 * b + 2]!];
  const lengths = Math.sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz));
  return lengths > 0 ? (ax * bx + ay * by + az * bz) / lengths : 1;
}
