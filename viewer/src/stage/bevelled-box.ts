// A box whose edges look rounded at 44 triangles: each edge and corner is cut off flat, and normals run smoothly from
// face to face across the cut. Ten thousand of them cost less than a thousand truly rounded ones.

import { BufferAttribute, BufferGeometry } from 'three';

/** Three vertices per corner, one on each face that meets there: vertex 3 c + axis lies on the face across that axis. */
export function bevelledBox(half: readonly [number, number, number], bevel: number): BufferGeometry {
  const positions: number[] = [];
  const normals: number[] = [];
  for (let corner = 0; corner < 8; corner += 1) {
    for (let axis = 0; axis < 3; axis += 1) {
      for (let k = 0; k < 3; k += 1) {
        const side = signOf(corner, k);
        positions.push(side * (half[k]! - (k === axis ? 0 : bevel)));
        normals.push(k === axis ? side : 0);
      }
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex([...faces(), ...edges(), ...corners()].flatMap((triangle) => outward(triangle, positions)));
  return geometry;
}

/** Bit `axis` of a corner's number says on which side of that axis it lies. */
function signOf(corner: number, axis: number): 1 | -1 {
  return ((corner >> axis) & 1) === 1 ? 1 : -1;
}

type Triangle = [number, number, number];

function quad(a: number, b: number, c: number, d: number): Triangle[] {
  return [[a, b, c], [a, c, d]];
}

function faces(): Triangle[] {
  return [0, 1, 2].flatMap((axis) => [0, 1].flatMap((side) => {
    const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
    const at = (i: number, j: number) => 3 * ((side << axis) | (i << u) | (j << v)) + axis;
    return quad(at(0, 0), at(1, 0), at(1, 1), at(0, 1));
  }));
}

function edges(): Triangle[] {
  return [0, 1, 2].flatMap((along) => [0, 1, 2, 3].flatMap((place) => {
    const [u, v] = [(along + 1) % 3, (along + 2) % 3];
    const corner = (end: number) => (end << along) | ((place & 1) << u) | ((place >> 1) << v);
    return quad(3 * corner(0) + u, 3 * corner(0) + v, 3 * corner(1) + v, 3 * corner(1) + u);
  }));
}

function corners(): Triangle[] {
  return Array.from({ length: 8 }, (_, corner) => [3 * corner, 3 * corner + 1, 3 * corner + 2] as Triangle);
}

/** Turns a triangle so that its normal points away from the box's middle. */
function outward([a, b, c]: Triangle, p: number[]): Triangle {
  const point = (i: number) => [p[3 * i]!, p[3 * i + 1]!, p[3 * i + 2]!] as const;
  const [pa, pb, pc] = [point(a), point(b), point(c)];
  const u = [pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]] as const;
  const v = [pc[0] - pa[0], pc[1] - pa[1], pc[2] - pa[2]] as const;
  const facing = pa[0] * (u[1] * v[2] - u[2] * v[1]) + pa[1] * (u[2] * v[0] - u[0] * v[2]) + pa[2] * (u[0] * v[1] - u[1] * v[0]);
  return facing < 0 ? [a, c, b] : [a, b, c];
}
