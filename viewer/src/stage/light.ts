// A studio: soft light from a room and a warm key light from the upper left front.

import { AmbientLight, DirectionalLight, Group, HemisphereLight, PMREMGenerator, Sphere, Vector3, type Scene, type Texture, type WebGLRenderer } from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import type { Quality } from './quality';

const KEY_COLOR = '#fff3e2';
const KEY_INTENSITY = 1.9;
const KEY_ELEVATION = (48 * Math.PI) / 180;
/** How far to the left of the viewer the key light stands. */
const KEY_TURN = (-50 * Math.PI) / 180;
const ENVIRONMENT_INTENSITY = 0.55;

export class StudioLight {
  readonly group = new Group();
  private readonly key = new DirectionalLight(KEY_COLOR, KEY_INTENSITY);
  private readonly lit = new Sphere(new Vector3(), 0);
  private azimuth = 0;

  constructor(scene: Scene, renderer: WebGLRenderer, quality: Quality) {
    if (quality.environment) {
      scene.environment = bakeRoom(renderer);
      scene.environmentIntensity = ENVIRONMENT_INTENSITY;
    } else {
      this.group.add(new HemisphereLight('#ffffff', '#c9cfd2', 1.35), new AmbientLight('#ffffff', 0.25));
    }
    this.key.castShadow = quality.shadowSize > 0;
    this.key.shadow.mapSize.set(quality.shadowSize, quality.shadowSize);
    this.key.shadow.radius = 2.5;
    this.key.shadow.bias = -0.0004;
    this.group.add(this.key, this.key.target);
  }

  /** Turns the key light to a viewer who looks from this direction (angle around y, from +z towards +x). */
  face(azimuth: number): void {
    this.azimuth = azimuth;
    this.place();
  }

  /** Fits the shadows to this sphere, unless the last fit still holds it without wasting half of the map. */
  cover(sphere: Sphere): void {
    const inside = this.lit.center.distanceTo(sphere.center) + sphere.radius <= this.lit.radius;
    if (inside && this.lit.radius < 2.5 * sphere.radius) return;
    this.lit.set(sphere.center, 1.4 * sphere.radius);
    this.place();
  }

  private place(): void {
    const { center, radius } = this.lit;
    const azimuth = this.azimuth + KEY_TURN;
    const away = new Vector3(Math.cos(KEY_ELEVATION) * Math.sin(azimuth), Math.sin(KEY_ELEVATION), Math.cos(KEY_ELEVATION) * Math.cos(azimuth));
    this.key.position.copy(center).addScaledVector(away, 3 * radius);
    this.key.target.position.copy(center);
    const { shadow } = this.key;
    shadow.camera.left = shadow.camera.bottom = -radius;
    shadow.camera.right = shadow.camera.top = radius;
    shadow.camera.near = radius;
    shadow.camera.far = 5 * radius;
    shadow.normalBias = radius * 0.004;
    shadow.camera.updateProjectionMatrix();
  }
}

function bakeRoom(renderer: WebGLRenderer): Texture {
  const generator = new PMREMGenerator(renderer);
  const texture = generator.fromScene(new RoomEnvironment(), 0.04).texture;
  generator.dispose();
  return texture;
}
