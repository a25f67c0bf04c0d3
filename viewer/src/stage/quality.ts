// How much the stage may cost. In software rendering the environment light alone takes seconds, so it is found out first.

import { signal } from '@preact/signals';
import { options } from '../route';
import { settings } from '../settings';
import { PaceGovernor } from './pace-governor';

export interface Quality {
  name: 'low' | 'medium' | 'high';
  antialias: boolean;
  environment: boolean;
  /** Side of the key light's shadow map in texels; 0 is no shadow. */
  shadowSize: number;
  pixelRatio: number;
  /** How many bodies darken the ground around them; every point of the ground asks each of them. */
  occluders: number;
}

const levels: Record<Quality['name'], Quality> = {
  low: { name: 'low', antialias: false, environment: false, shadowSize: 0, pixelRatio: 1, occluders: 6 },
  medium: { name: 'medium', antialias: true, environment: true, shadowSize: 2048, pixelRatio: 1.5, occluders: 24 },
  high: { name: 'high', antialias: true, environment: true, shadowSize: 4096, pixelRatio: 2, occluders: 24 },
};

function rendererName(): string {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) return '';
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = info && context.getParameter(info.UNMASKED_RENDERER_WEBGL);
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return typeof name === 'string' ? name : '';
}

let found: Quality['name'] | undefined;

/** What this machine is likely to draw at 60 frames a second. */
function automatic(): Quality['name'] {
  found ??= /swiftshader|llvmpipe|software|basic render/i.test(rendererName()) ? 'low' : matchMedia('(pointer: coarse)').matches ? 'medium' : 'high';
  return found;
}

/** What the automatic choice was lowered to, after it turned out too much. */
const lowered = signal<Quality['name'] | null>(null);
const governor = new PaceGovernor();

/** The address decides, then the setting, then the machine. */
export function chosenQuality(): Quality {
  const asked = options.get('quality');
  if (asked === 'low' || asked === 'medium' || asked === 'high') return levels[asked];
  const choice = settings.quality.value;
  return levels[choice === 'auto' ? (lowered.value ?? automatic()) : choice];
}

/** Once per picture: where the automatic choice is too much for the machine, the next lower one is taken. */
export function adaptQuality(now: number, drawn: boolean): void {
  if (!governor.tooSlow(now, drawn) || settings.quality.value !== 'auto' || options.has('quality')) return;
  const { name } = chosenQuality();
  if (name !== 'low') lowered.value = name === 'high' ? 'medium' : 'low';
}
