// Making meshes: vertices with colours in one growing list, and lofted hulls.

import { BufferAttribute, BufferGeometry, Color } from 'three';
import type { Triple } from '../track';

/** Vertices, colours and triangles that become one geometry. */
export class MeshBuilder {
  readonly positions: number[] = [];
  readonly colours: number[] = [];
  readonly indices: number[] = [];
  private readonly colour = new Color();

  get count(): number {
    return this.positions.length / 3;
  }

  vertex(place: readonly number[], colour: string | number): number {
    this.colour.set(colour);
    this.positions.push(place[0]!, place[1]!, place[2]!);
    this.colours.push(this.colour.r, this.colour.g, this.colour.b);
    return this.count - 1;
  }

  triangle(a: number, b: number, c: number): void {
    this.indices.push(a, b, c);
  }

  /** Four corners, counter-clockwise seen from its front; they are its own, so that its edges are sharp. */
  quad(a: readonly number[], b: readonly number[], c: readonly number[], d: readonly number[], colour: string | number): void {
    const from = this.count;
    for (const corner of [a, b, c, d]) this.vertex(corner, colour);
    this.indices.push(from, from + 1, from + 2, from, from + 2, from + 3);
  }

  /** A box between two corners, or along its own axes with a place for each corner by `put`. */
  box(low: Triple, high: Triple, colour: string | number, put: (place: Triple) => readonly number[] = (place) => place): void {
    const at = (i: number, j: number, k: number) => put([i ? high[0] : low[0], j ? high[1] : low[1], k ? high[2] : low[2]]);
    const corners = [at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0), at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)];
    for (const [a, b, c, d] of [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [3, 7, 6, 2], [0, 4, 7, 3], [1, 2, 6, 5]]) this.quad(corners[a!]!, corners[b!]!, corners[c!]!, corners[d!]!, colour);
  }

  /** A tube from place to place with so many sides. */
  tube(from: Triple, to: Triple, radius: number, colour: string | number, sides = 6): void {
    const axis = [0, 1, 2].map((k) => to[k]! - from[k]!);
    const length = Math.hypot(...axis) || 1;
    const along = axis.map((x) => x / length);
    const helper = Math.abs(along[1]!) < 0.9 ? [0, 1, 0] : [1, 0, 0];
    const side = cross(along, helper);
    const size = Math.hypot(...side);
    const u = side.map((x) => (x * radius) / size);
    const w = cross(along, u);
    const first = this.count;
    for (const end of [from, to]) {
      for (let i = 0; i < sides; i += 1) {
        const [c, s] = [Math.cos((2 * Math.PI * i) / sides), Math.sin((2 * Math.PI * i) / sides)];
        this.vertex([0, 1, 2].map((k) => end[k]! + c * u[k]! + s * w[k]!), colour);
      }
    }
    for (let i = 0; i < sides; i += 1) {
      const j = (i + 1) % sides;
      this.indices.push(first + i, first + j, first + sides + j, first + i, first + sides + j, first + sides + i);
    }
    for (let i = 1; i < sides - 1; i += 1) {
      this.indices.push(first, first + i + 1, first + i);
      this.indices.push(first + sides, first + sides + i, first + sides + i + 1);
    }
  }

  /** Rings of a hull from end to end: place along z, half width, bottom, top; squarer with a smaller exponent. */
  loft(rings: readonly (readonly [number, number, number, number])[], colourOf: (ring: number, side: number) => string | number, { corners = 24, power = 0.7, from = 0, to = 1, closed = true } = {}): void {
    const first = this.count;
    const steps = Math.round(corners * (to - from));
    const bulge = (x: number) => Math.sign(x) * Math.abs(x) ** power;
    rings.forEach(([z, half, bottom, top], ring) => {
      for (let i = 0; i <= steps; i += 1) {
        const angle = 2 * Math.PI * (from + ((to - from) * i) / steps);
        const [x, y] = [half * bulge(Math.cos(angle)), 0.5 * (bottom + top) + 0.5 * (top - bottom) * bulge(Math.sin(angle))];
        this.vertex([x, y, z], colourOf(ring, i / steps));
      }
    });
    const row = steps + 1;
    for (let ring = 1; ring < rings.length; ring += 1) {
      for (let i = 0; i < steps; i += 1) {
        const [a, b, c, d] = [first + (ring - 1) * row + i, first + (ring - 1) * row + i + 1, first + ring * row + i + 1, first + ring * row + i];
        this.indices.push(a, c, d, a, b, c);
      }
    }
    if (!closed) return;
    for (const [ring, turned] of [[0, true], [rings.length - 1, false]] as const) {
      for (let i = 1; i < steps - 1; i += 1) {
        const [a, b, c] = [first + ring * row, first + ring * row + i, first + ring * row + i + 1];
        if (turned) this.indices.push(a, c, b);
        else this.indices.push(a, b, c);
      }
    }
  }

  /** A ball, or an ellipsoid. */
  ball(centre: Triple, radii: Triple, colour: string | number, segments = 12): void {
    const first = this.count;
    const rows = segments >> 1;
    for (let j = 0; j <= rows; j += 1) {
      const latitude = Math.PI * (j / rows - 0.5);
      for (let i = 0; i <= segments; i += 1) {
        const longitude = (2 * Math.PI * i) / segments;
        this.vertex([centre[0] + radii[0] * Math.cos(latitude) * Math.cos(longitude), centre[1] + radii[1] * Math.sin(latitude), centre[2] - radii[2] * Math.cos(latitude) * Math.sin(longitude)], colour);
      }
    }
    for (let j = 0; j < rows; j += 1) {
      for (let i = 0; i < segments; i += 1) {
        const [a, b] = [first + j * (segments + 1) + i, first + (j + 1) * (segments + 1) + i];
        this.indices.push(a, a + 1, b + 1, a, b + 1, b);
      }
    }
  }

  build(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(new Float32Array(this.positions), 3));
    geometry.setAttribute('color', new BufferAttribute(new Float32Array(this.colours), 3));
    geometry.setIndex(this.indices);
    geometry.computeVertexNormals();
    geometry.computeBoundingSphere();
    return geometry;
  }
}

function cross(a: readonly number[], b: readonly number[]): number[] {
  return [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
}
