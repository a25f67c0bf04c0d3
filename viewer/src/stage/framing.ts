// Where a camera must stand to see a box whole.

import { Box3, MathUtils, Matrix4, Vector3 } from 'three';

/** Passes that centre the picture and find the distance anew; each leaves a small part of the error before. */
const PASSES = 8;

export interface Frame {
  /** Vertical opening of the camera in degrees. */
  fieldOfView: number;
  /** Half of the width and of the height that the box may take, as shares of half of the picture's height. */
  width: number;
  height: number;
}

/** The nearest place in the direction `away` of the box from which all of it is within the frame, and what is then looked at. */
export function framing(box: Box3, away: Vector3, { fieldOfView, width, height }: Frame): { position: Vector3; target: Vector3 } {
  const back = away.clone().normalize();
  const axes = new Matrix4().lookAt(back, new Vector3(), new Vector3(0, 1, 0));
  const [right, up] = [new Vector3().setFromMatrixColumn(axes, 0), new Vector3().setFromMatrixColumn(axes, 1)];
  const slope = Math.tan(MathUtils.degToRad(fieldOfView / 2));
  const target = box.getCenter(new Vector3());
  const corners = cornersOf(box);
  let distance = 0;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const seen = corners.map((corner) => corner.clone().sub(target)).map((corner) => ({ x: corner.dot(right), y: corner.dot(up), z: corner.dot(back) }));
    distance = Math.max(...seen.map(({ x, y, z }) => z + Math.max(Math.abs(x) / (slope * width), Math.abs(y) / (slope * height))));
    // Things that are nearer look larger: what is centred in space is not centred in the picture.
    const middle = (shares: number[]) => (Math.min(...shares) + Math.max(...shares)) / 2;
    target.addScaledVector(right, distance * middle(seen.map(({ x, z }) => x / (distance - z))));
    target.addScaledVector(up, distance * middle(seen.map(({ y, z }) => y / (distance - z))));
  }
  return { position: target.clone().addScaledVector(back, distance), target };
}

function cornersOf({ min, max }: Box3): Vector3[] {
  return [min.x, max.x].flatMap((x) => [min.y, max.y].flatMap((y) => [min.z, max.z].map((z) => new Vector3(x, y, z))));
}
