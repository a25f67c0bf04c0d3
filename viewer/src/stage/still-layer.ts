// The picture of what stands still while a hand moves something: drawn once with its depths, then copied, so that a picture costs what moves in it.
// What is translucent has no depth: the part in hand is seen through it without its tint.

import {
  AlwaysDepth, DepthTexture, Mesh, NearestFilter, PlaneGeometry, SRGBColorSpace, ShaderMaterial, UnsignedIntType, Vector2, WebGLRenderTarget, type Camera, type Object3D, type Scene, type WebGLRenderer,
} from 'three';

/** Layer of the scene for what is still, while its picture is made. Lights are in this and in layer 0. */
const STILL = 1;

/** What need not be drawn again. */
export interface Still {
  surfaces: readonly Object3D[];
  /** Changes when any of them does. */
  state: string;
}

export class StillLayer {
  /** The picture in the scene: the first thing that is drawn, at the depths that it had. */
  readonly copy: Mesh;
  private readonly material: ShaderMaterial;
  private target: WebGLRenderTarget | null = null;
  /** From where the last picture was seen, and what the target shows. */
  private seenFrom = '';
  private shows = '';
  private readonly size = new Vector2();

  constructor(lights: Object3D) {
    this.material = new ShaderMaterial({
      uniforms: { colors: { value: null }, depths: { value: null } },
      depthFunc: AlwaysDepth,
      toneMapped: false,
      vertexShader: /* glsl */ `
        varying vec2 place;
        void main() {
          place = uv;
          gl_Position = vec4( position.xy, 0.0, 1.0 );
        }`,
      fragmentShader: /* glsl */ `
        uniform sampler2D colors; uniform highp sampler2D depths;
        varying vec2 place;
        void main() {
          gl_FragColor = texture2D( colors, place );
          gl_FragDepth = texture2D( depths, place ).r;
        }`,
    });
    this.copy = new Mesh(new PlaneGeometry(2, 2), this.material);
    this.copy.renderOrder = -1e6;
    this.copy.frustumCulled = false;
    this.copy.visible = false;
    lights.traverse(({ layers }) => layers.enable(STILL));
  }

  /** Draws the scene; what is still is drawn once, and copied for as long as its state and the view are the same. Null where all may move. The camera sees layer 0. */
  draw(renderer: WebGLRenderer, scene: Scene, camera: Camera, still: Still | null): void {
    camera.updateWorldMatrix(true, false);
    const { x, y } = renderer.getDrawingBufferSize(this.size);
    const from = `${x} ${y} ${camera.matrixWorld.elements} ${camera.projectionMatrix.elements}`;
    const moves = from !== this.seenFrom;
    this.seenFrom = from;
    if (!still || still.surfaces.length === 0 || moves) {
      if (!still) this.forget();
      renderer.render(scene, camera);
      return;
    }
    for (const object of still.surfaces) object.layers.set(STILL);
    try {
      const shows = `${still.state} ${from}`;
      if (this.shows !== shows) this.make(renderer, scene, camera);
      this.shows = shows;
      this.copy.visible = true;
      renderer.render(scene, camera);
    } finally {
      this.copy.visible = false;
      for (const object of still.surfaces) object.layers.set(0);
    }
  }

  dispose(): void {
    this.forget();
    this.copy.geometry.dispose();
    this.material.dispose();
  }

  private make(renderer: WebGLRenderer, scene: Scene, camera: Camera): void {
    try {
      camera.layers.set(STILL);
      renderer.setRenderTarget(this.targetOf(this.size.x, this.size.y));
      renderer.render(scene, camera);
    } finally {
      renderer.setRenderTarget(null);
      camera.layers.set(0);
    }
  }

  private targetOf(width: number, height: number): WebGLRenderTarget {
    if (this.target?.width === width && this.target.height === height) return this.target;
    this.forget();
    this.target = makeTarget(width, height);
    this.material.uniforms.colors!.value = this.target.texture;
    this.material.uniforms.depths!.value = this.target.depthTexture;
    return this.target;
  }

  /** What is still is another thing now, or may move again. */
  forget(): void {
    this.target?.depthTexture?.dispose();
    this.target?.dispose();
    this.target = null;
    this.shows = '';
  }
}

/** A target that gets the colours of the canvas: tone mapped and ready to be shown, which three.js does for the targets of a headset only. */
function makeTarget(width: number, height: number): WebGLRenderTarget {
  const target = new WebGLRenderTarget(width, height, {
    minFilter: NearestFilter, magFilter: NearestFilter, generateMipmaps: false,
    // Without it the graphics card would encode them a second time.
    internalFormat: 'RGBA8', colorSpace: SRGBColorSpace,
    depthTexture: new DepthTexture(width, height, UnsignedIntType),
  });
  return Object.assign(target, { isXRRenderTarget: true });
}
