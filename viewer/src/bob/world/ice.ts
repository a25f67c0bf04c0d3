// The ice in chunks, each with three levels that share its vertices.

import { BufferAttribute, BufferGeometry, Group, Mesh, Vector3, type Material } from 'three';
import type { BobQuality } from '../quality';
import { lineAt, type LinePoint, type TrackShape } from '../track';

/** Distances in m up to which a level is shown, and what it leaves out: rows and columns. */
const LEVELS = [{ to: 90, rows: 1, columns: 1 }, { to: 260, rows: 2, columns: 2 }, { to: Infinity, rows: 6, columns: 6 }] as const;

/** 0, step, 2 step, ... and always the last. */
export function picks(count: number, step: number): number[] {
  const list: number[] = [];
  for (let i = 0; i < count - 1; i += step) list.push(i);
  return [...list, count - 1];
}

/** Triangles of a grid's picked rows and columns. */
export function gridIndices(rows: readonly number[], columns: readonly number[], stride: number): number[] {
  const indices: number[] = [];
  for (let r = 1; r < rows.length; r += 1) {
    for (let c = 1; c < columns.length; c += 1) {
      const [a, b] = [rows[r - 1]! * stride + columns[c - 1]!, rows[r - 1]! * stride + columns[c]!];
      const [d, e] = [rows[r]! * stride + columns[c - 1]!, rows[r]! * stride + columns[c]!];
      indices.push(a, b, e, a, e, d);
    }
  }
  return indices;
}

/** Normals of the whole grid by central differences. */
function gridNormals(track: TrackShape): Float32Array {
  const { count, columns, ice } = track;
  const normals = new Float32Array(ice.length);
  const [along, across, normal] = [new Vector3(), new Vector3(), new Vector3()];
  const at = (row: number, column: number, into: Vector3) => into.fromArray(ice, 3 * (row * columns + column));
  const [p, q] = [new Vector3(), new Vector3()];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      along.subVectors(at(Math.min(count - 1, row + 1), column, p), at(Math.max(0, row - 1), column, q));
      across.subVectors(at(row, Math.min(columns - 1, column + 1), p), at(row, Math.max(0, column - 1), q));
      normal.crossVectors(across, along).normalize().toArray(normals, 3 * (row * columns + column));
    }
  }
  return normals;
}

export class IceMesh {
  readonly group = new Group();
  private readonly chunks: { mesh: Mesh; levels: BufferGeometry[]; centre: Vector3 }[] = [];
  /** Half the length of a chunk in m: rows lie half a metre apart. */
  private readonly half: number;

  constructor(track: TrackShape, line: readonly LinePoint[], material: Material, quality: BobQuality) {
    this.half = quality.pieceRows / 4;
    const normals = gridNormals(track);
    const { columns, count } = track;
    const [rowStep, columnStep] = quality.iceStep;
    for (let first = 0; first + 1 < count; first += quality.pieceRows) {
      const rows = Math.min(quality.pieceRows, count - 1 - first) + 1;
      const [from, to] = [first * columns, (first + rows) * columns];
      const trk = new Float32Array(4 * (to - from));
      for (let row = first; row < first + rows; row += 1) {
        const s = track.data.rows[row]!;
        const driven = lineAt(line, s, 1);
        const [left, right] = [track.arcs[row * columns]!, track.arcs[(row + 1) * columns - 1]!];
        for (let c = 0; c < columns; c += 1) {
          const arc = track.arcs[row * columns + c]!;
          trk.set([s, arc - left, right - arc, arc - driven], 4 * (row * columns + c - from));
        }
      }
      const position = new BufferAttribute(track.ice.slice(3 * from, 3 * to), 3);
      const normal = new BufferAttribute(normals.slice(3 * from, 3 * to), 3);
      const attribute = new BufferAttribute(trk, 4);
      const levels = LEVELS.map((level) => {
        const geometry = new BufferGeometry();
        geometry.setAttribute('position', position);
        geometry.setAttribute('normal', normal);
        geometry.setAttribute('aTrk', attribute);
        geometry.setIndex(gridIndices(picks(rows, level.rows * rowStep), picks(columns, level.columns * columnStep), columns));
        geometry.computeBoundingSphere();
        return geometry;
      });
      const mesh = new Mesh(levels[0], material);
      mesh.receiveShadow = true;
      mesh.castShadow = quality.shadow > 0;
      mesh.name = 'ice';
      this.group.add(mesh);
      this.chunks.push({ mesh, levels, centre: levels[0]!.boundingSphere!.center });
    }
  }

  /** Chooses the level of every chunk for an eye. */
  update(eye: Vector3): void {
    for (const { mesh, levels, centre } of this.chunks) {
      const distance = eye.distanceTo(centre) - this.half;
      const level = LEVELS.findIndex(({ to }) => distance <= to);
      mesh.geometry = levels[level]!;
    }
  }
}
