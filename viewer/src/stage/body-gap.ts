// How far a point is from the surface of a body.

import { Ray, Triangle, Vector3, type BufferGeometry } from 'three';

/** No edge of a mesh is likely to lie along this. */
const SOMEWHERE = new Vector3(0.5377, 0.8263, -0.1689).normalize();

/** Distance of a point from a geometry's surface, both in its frame; negative inside, which is where a ray leaves once more often than it enters. */
export function gapOf(geometry: BufferGeometry, point: Vector3): number {
  const places = geometry.getAttribute('position');
  const { index } = geometry;
  const count = (index?.count ?? places.count) / 3;
  const triangle = new Triangle();
  const [nearest, met] = [new Vector3(), new Vector3()];
  const ray = new Ray(point, SOMEWHERE);
  let least = Infinity;
  let crossings = 0;
  for (let i = 0; i < count; i += 1) {
    const corner = (k: number) => (index ? index.getX(3 * i + k) : 3 * i + k);
    triangle.a.fromBufferAttribute(places, corner(0));
    triangle.b.fromBufferAttribute(places, corner(1));
    triangle.c.fromBufferAttribute(places, corner(2));
    least = Math.min(least, triangle.closestPointToPoint(point, nearest).distanceToSquared(point));
    if (ray.intersectTriangle(triangle.a, triangle.b, triangle.c, false, met)) crossings += 1;
  }
  return crossings % 2 === 1 ? -Math.sqrt(least) : Math.sqrt(least);
}
