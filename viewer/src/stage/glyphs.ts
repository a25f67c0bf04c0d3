// Arrows, lines and discs of constant size on the screen, drawn in three passes: a halo that sets them off from what
// lies behind, the colour itself, and a faint trace where a body hides them. They are data, so they are not tone mapped.

import {
  BufferAttribute, Color, DynamicDrawUsage, GreaterDepth, Group, InstancedBufferAttribute, InstancedBufferGeometry,
  LessEqualDepth, LinearSRGBColorSpace, Mesh, ShaderMaterial, Vector2,
} from 'three';

const HALO_PIXELS = 1.75;
const HIDDEN_ALPHA = 0.28;

/** What all glyph materials of a stage share. */
export interface GlyphSurroundings {
  /** Size of the canvas in CSS pixels. */
  viewport: { value: Vector2 };
  halo: { value: Color };
}

export function glyphSurroundings(): GlyphSurroundings {
  return { viewport: { value: new Vector2(1, 1) }, halo: { value: new Color() } };
}

export function setDataColor(color: Color, css: string): void {
  color.setStyle(css, LinearSRGBColorSpace); // written to the screen as it is
}

interface Layout {
  corners: Float32Array;
  indices: number[];
  vertexShader: string;
  fragmentShader: string;
}

/** Corner: x is 0 at the tail, 1 at the neck, 2 at the tip; y is the side; z is 1 for the head's width. */
const arrowLayout: Layout = {
  corners: new Float32Array([0, -1, 0, 0, 1, 0, 1, -1, 0, 1, 1, 0, 1, -1, 1, 1, 1, 1, 2, 0, 1]),
  indices: [0, 2, 1, 1, 2, 3, 4, 6, 5],
  vertexShader: /* glsl */ `
    uniform vec2 viewport; uniform float grow;
    attribute vec3 corner; attribute vec3 from; attribute vec3 to; attribute vec2 size; // half width and head length in px
    void main() {
      vec4 a = projectionMatrix * viewMatrix * vec4( from, 1.0 );
      vec4 b = projectionMatrix * viewMatrix * vec4( to, 1.0 );
      if ( min( a.w, b.w ) < 1e-4 ) { gl_Position = vec4( 2.0, 2.0, 2.0, 1.0 ); return; }
      vec2 tail = a.xy / a.w * viewport * 0.5;
      vec2 tip = b.xy / b.w * viewport * 0.5;
      float length_ = distance( tail, tip );
      vec2 along = length_ > 1e-3 ? ( tip - tail ) / length_ : vec2( 0.0, 1.0 );
      vec2 side = vec2( -along.y, along.x );
      float head = min( size.y, 0.7 * length_ );
      float at = corner.x < 0.5 ? -grow : corner.x < 1.5 ? length_ - head - ( corner.z > 0.5 ? grow : 0.0 ) : length_ + grow * ( head > 0.0 ? 2.2 : 1.0 );
      if ( head == 0.0 && corner.x > 0.5 ) at = length_ + grow;
      float width = corner.z > 0.5 ? 0.46 * head + grow * 1.6 : size.x + grow;
      vec2 place = tail + along * at + side * corner.y * width;
      float depth = mix( a.z / a.w, b.z / b.w, clamp( at / max( length_, 1e-3 ), 0.0, 1.0 ) );
      gl_Position = vec4( place / viewport * 2.0, depth - 2e-5, 1.0 );
    }`,
  fragmentShader: /* glsl */ `
    uniform vec3 color; uniform float alpha;
    void main() { gl_FragColor = vec4( color, alpha ); }`,
};

/** A disc or ring around `from`; size.x is the outer radius, size.y the inner one, in pixels. */
const discLayout: Layout = {
  corners: new Float32Array([-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0]),
  indices: [0, 1, 2, 2, 1, 3],
  vertexShader: /* glsl */ `
    uniform vec2 viewport; uniform float grow;
    attribute vec3 corner; attribute vec3 from; attribute vec2 size;
    varying vec2 place; varying vec2 radii;
    void main() {
      vec4 a = projectionMatrix * viewMatrix * vec4( from, 1.0 );
      if ( a.w < 1e-4 ) { gl_Position = vec4( 2.0, 2.0, 2.0, 1.0 ); return; }
      radii = vec2( size.x + grow, size.y > 0.0 ? size.y - grow : -1.0 );
      place = corner.xy * ( radii.x + 1.0 );
      gl_Position = vec4( a.xy / a.w + place / viewport * 2.0, a.z / a.w - 2e-4, 1.0 );
    }`,
  fragmentShader: /* glsl */ `
    uniform vec3 color; uniform float alpha;
    varying vec2 place; varying vec2 radii;
    void main() {
      float r = length( place );
      float cover = ( 1.0 - smoothstep( radii.x - 0.5, radii.x + 0.5, r ) ) * smoothstep( radii.y - 0.5, radii.y + 0.5, r );
      if ( cover < 0.01 ) discard;
      gl_FragColor = vec4( color, alpha * cover );
    }`,
};

export class Glyphs {
  readonly group = new Group();
  readonly color = new Color();
  private geometry: InstancedBufferGeometry;
  private capacity = 0;
  private from!: InstancedBufferAttribute;
  private to!: InstancedBufferAttribute;
  private size!: InstancedBufferAttribute;
  private readonly meshes: Mesh[];

  constructor(private readonly layout: Layout, surroundings: GlyphSurroundings, order: number) {
    this.geometry = new InstancedBufferGeometry();
    const colour = { value: this.color };
    const passes = [
      { color: surroundings.halo, alpha: 0.9, grow: HALO_PIXELS, hidden: false },
      { color: colour, alpha: 1, grow: 0, hidden: false },
      { color: colour, alpha: HIDDEN_ALPHA, grow: 0, hidden: true },
    ];
    this.meshes = passes.map(({ color, alpha, grow, hidden }, pass) => {
      const material = new ShaderMaterial({
        uniforms: { viewport: surroundings.viewport, color, alpha: { value: alpha }, grow: { value: grow } },
        vertexShader: layout.vertexShader,
        fragmentShader: layout.fragmentShader,
        transparent: true,
        depthWrite: false,
        depthFunc: hidden ? GreaterDepth : LessEqualDepth,
      });
      const mesh = new Mesh(this.geometry, material);
      mesh.frustumCulled = false;
      mesh.renderOrder = order + pass;
      this.group.add(mesh);
      return mesh;
    });
    this.reserve(16);
  }

  /** Starts a new set; `add` then fills it. */
  begin(count: number): void {
    if (count > this.capacity) this.reserve(2 * count);
    this.geometry.instanceCount = 0;
    this.group.visible = false;
  }

  add(from: ArrayLike<number>, to: ArrayLike<number>, sizeX: number, sizeY: number): void {
    const at = this.geometry.instanceCount;
    this.from.setXYZ(at, from[0]!, from[1]!, from[2]!);
    this.to.setXYZ(at, to[0]!, to[1]!, to[2]!);
    this.size.setXY(at, sizeX, sizeY);
    this.geometry.instanceCount = at + 1;
    this.group.visible = true;
  }

  end(): void {
    this.from.needsUpdate = this.to.needsUpdate = this.size.needsUpdate = true;
  }

  dispose(): void {
    this.geometry.dispose();
    for (const mesh of this.meshes) (mesh.material as ShaderMaterial).dispose();
  }

  private reserve(capacity: number): void {
    this.geometry.dispose();
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute('corner', new BufferAttribute(this.layout.corners, 3));
    // three asks every geometry for positions, if only for their number
    this.geometry.setAttribute('position', new BufferAttribute(this.layout.corners, 3));
    this.geometry.setIndex(this.layout.indices);
    const attribute = (items: number) => new InstancedBufferAttribute(new Float32Array(items * capacity), items).setUsage(DynamicDrawUsage) as InstancedBufferAttribute;
    this.from = attribute(3);
    this.to = attribute(3);
    this.size = attribute(2);
    this.geometry.setAttribute('from', this.from);
    this.geometry.setAttribute('to', this.to);
    this.geometry.setAttribute('size', this.size);
    this.geometry.instanceCount = 0;
    this.capacity = capacity;
    for (const mesh of this.meshes) mesh.geometry = this.geometry;
  }
}

export const makeArrows = (surroundings: GlyphSurroundings, order: number) => new Glyphs(arrowLayout, surroundings, order);
export const makeDiscs = (surroundings: GlyphSurroundings, order: number) => new Glyphs(discLayout, surroundings, order);
