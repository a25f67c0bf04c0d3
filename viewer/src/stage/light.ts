// A studio: soft light from a room, a warm key light from the upper left front, weak lights around it whose shadows
// darken the places where things meet.

import { AmbientLight, DirectionalLight, Group, HemisphereLight, PMREMGenerator, Sphere, Vector3, type Scene, type Texture, type WebGLRenderer } from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';
import type { Quality } from './quality';

const KEY_COLOR = '#fff3e2';
const KEY_INTENSITY = 1.9;
const KEY_ELEVATION = (48 * Math.PI) / 180;
/** How far to the left of the viewer the key light stands. */
const KEY_TURN = (-50 * Math.PI) / 180;
const ENVIRONMENT_INTENSITY = 0.42;
const DOME_INTENSITY = 1.1;
const DOME_ELEVATION = (62 * Math.PI) / 180;

export class StudioLight {
  readonly group = new Group();
  private readonly key = new DirectionalLight(KEY_COLOR, KEY_INTENSITY);
  private readonly dome: DirectionalLight[] = [];
  private readonly lit = new Sphere(new Vector3(), 0);
  private azimuth = 0;

  constructor(scene: Scene, renderer: WebGLRenderer, quality: Quality) {
    if (quality.environment) {
      scene.environment = bakeRoom(renderer);
      scene.environmentIntensity = ENVIRONMENT_INTENSITY;
    } else {
      this.group.add(new HemisphereLight('#ffffff', '#c9cfd2', 1.35), new AmbientLight('#ffffff', 0.25));
    }
    this.addShadowed(this.key, quality.shadowSize, 3);
    for (let i = 0; i < quality.domeLights; i += 1) {
      const light = new DirectionalLight('#ffffff', DOME_INTENSITY / quality.domeLights);
      this.addShadowed(light, Math.min(1024, quality.shadowSize), 5);
      this.dome.push(light);
    }
  }

  /** Turns the lights to a viewer who looks from this direction (angle around y, from +z towards +x). */
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

  private addShadowed(light: DirectionalLight, size: number, softness: number): void {
    light.castShadow = size > 0;
    light.shadow.mapSize.set(size, size);
    light.shadow.radius = softness;
    light.shadow.bias = -0.0004;
    this.group.add(light, light.target);
  }

  private place(): void {
    this.aim(this.key, this.azimuth + KEY_TURN, KEY_ELEVATION);
    this.dome.forEach((light, i) => this.aim(light, this.azimuth + KEY_TURN + ((i + 0.5) * 2 * Math.PI) / this.dome.length, DOME_ELEVATION));
  }

  private aim(light: DirectionalLight, azimuth: number, elevation: number): void {
    const { center, radius } = this.lit;
    const away = new Vector3(Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation), Math.cos(elevation) * Math.cos(azimuth));
    light.position.copy(center).addScaledVector(away, 3 * radius);
    light.target.position.copy(center);
    const { camera } = light.shadow;
    camera.left = camera.bottom = -radius;
    camera.right = camera.top = radius;
    camera.near = radius;
    camera.far = 5 * radius;
    light.shadow.normalBias = radius * 0.004;
    camera.updateProjectionMatrix();
  }
}

function bakeRoom(renderer: WebGLRenderer): Texture {
  const generator = new PMREMGenerator(renderer);
  const texture = generator.fromScene(new RoomEnvironment(), 0.04).texture;
  generator.dispose();
  return texture;
}
