import { Box3, Vector3 } from 'three';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { View } from './view';

/** As much of an element as the camera's controls ask for. */
function standIn(): HTMLElement {
  const element: Record<string, unknown> = { addEventListener: () => {}, removeEventListener: () => {}, style: {}, clientWidth: 800, clientHeight: 600 };
  element.getRootNode = () => element;
  element.ownerDocument = element;
  return element as unknown as HTMLElement;
}

function startView(ground: number | null): View {
  const view = new View(standIn(), () => {});
  view.resize(800, 600);
  view.setStart(new Vector3(2, 1.2, 3), new Vector3(0, 0.6, 0), ground, true);
  return view;
}

beforeEach(() => {
  vi.stubGlobal('matchMedia', () => ({ matches: true })); // reduced motion: moves are cuts
});

describe('the camera', () => {
  it('never dips below the ground, however it is turned, shifted or zoomed', () => {
    const view = startView(0);
    for (let i = 0; i < 300; i += 1) {
      view.orbit(0.3 * Math.sin(7 * i), -0.4);
      view.shift(0.1 * Math.cos(3 * i), -0.1, 0.02);
      view.zoom(1 + 0.3 * Math.sin(i));
      view.update(i);
      expect(view.camera.position.y).toBeGreaterThan(0);
    }
  });

  it('goes below where there is no ground', () => {
    const view = startView(null);
    for (let i = 0; i < 20; i += 1) view.orbit(0, -0.2);
    expect(view.camera.position.y).toBeLessThan(0);
  });

  it('comes home to the start view', () => {
    const view = startView(0);
    view.orbit(1, 0.3);
    view.zoom(3);
    view.home();
    expect(view.camera.position.toArray()).toEqual([2, 1.2, 3].map((x) => expect.closeTo(x, 9)));
  });

  it('fits a box, keeping its direction', () => {
    const view = startView(0);
    const before = view.camera.position.clone().sub(view.target).normalize();
    view.fit(new Box3(new Vector3(0, 1, 2), new Vector3(2, 3, 4)));
    const away = view.camera.position.clone().sub(view.target);
    expect(view.target.distanceTo(new Vector3(1, 2, 3))).toBeLessThan(0.3);
    expect(away.clone().normalize().dot(before)).toBeCloseTo(1, 9);
  });

  it('stands so far away in a narrow window that what a scene was composed for is as wide as in a window of that shape', () => {
    const view = startView(0);
    const widthAt = (width: number, height: number) => {
      view.resize(width, height);
      view.home();
      return width / view.pixelsPerMetre;
    };
    const composed = widthAt(1.3 * 600, 600);
    expect(widthAt(390, 640)).toBeCloseTo(composed, 9);
    expect(widthAt(1600, 600)).toBeGreaterThan(composed);
  });

  it('keeps the subject of its start view in sight when the window changes, until somebody moves it', () => {
    const view = startView(0);
    const subject = new Box3(new Vector3(-4, 0, -1), new Vector3(4, 1, 1));
    view.setStart(new Vector3(2, 1.2, 3), new Vector3(0, 0.6, 0), 0, true, subject);
    const wide = view.distance;
    view.resize(300, 600);
    expect(view.distance).toBeGreaterThan(1.5 * wide);
    view.orbit(0.1, 0);
    const turned = view.distance;
    view.resize(800, 600);
    expect(view.distance).toBeCloseTo(turned, 9);
  });

  it('knows how long a metre is on the screen at its target', () => {
    const view = startView(0);
    const edge = view.target.clone().add(new Vector3(0, 1, 0).applyQuaternion(view.camera.quaternion).multiplyScalar(0.25));
    view.camera.updateMatrixWorld();
    const [a, b] = [view.target.clone().project(view.camera), edge.project(view.camera)];
    expect(((b.y - a.y) / 2) * 600).toBeCloseTo(0.25 * view.pixelsPerMetre, 6);
  });
});
