// The gallery's bands: which groups there are, in which order, and what each is about.

import type { SceneEntry } from '../protocol/messages';

export interface Group {
  name: string;
  slug: string;
  sentence: string;
  scenes: SceneEntry[];
}

const sentences = new Map([
  ['Contacts', 'Things that hit, stack, slide and come to rest.'],
  ['Joints', 'Every joint by name, holding to a stated tolerance.'],
  ['Machines', 'Trees of bodies in minimal coordinates, with hard contacts.'],
  ['Handling', 'Take a part in hand and move it among obstacles.'],
  ['Bobsleigh', 'Drive a sled down an ice track at 5 kHz.'],
  ['Detection', 'Certified answers: when and where, proven.'],
  ['Laws', 'What must come out exactly, beside the formula.'],
  ['Judged by', 'The scenes by which engines are compared.'],
]);

export function slugOf(group: string): string {
  return group.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** The known groups in the gallery's order, then any others as they come; none without scenes. */
export function groupScenes(scenes: SceneEntry[]): Group[] {
  const names = new Set([...sentences.keys(), ...scenes.map((scene) => scene.group)]);
  return [...names]
    .map((name) => ({
      name,
      slug: slugOf(name),
      sentence: sentences.get(name) ?? '',
      scenes: scenes.filter((scene) => scene.group === name),
    }))
    .filter((group) => group.scenes.length > 0);
}
