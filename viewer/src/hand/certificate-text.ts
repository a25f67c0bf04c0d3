// What is proven of a recorded path, in a sentence.

import { fixed, quantityText } from '../numbers/format';

export interface Summary {
  seconds: number;
  parts: { part: string; from: number; to: number; proven_gap: number | null; largest_force: number }[];
}

interface Place {
  time: number;
  obstacle: string;
  gap: number;
}

export interface Answer {
  certificates: { part: string; verdict: 'free' | 'contact' | 'undecided'; free_until: number; contact: Place | null; tightest: Place | null; gap_at_least: number | null }[];
}

export function certificateText({ certificates }: Answer): { free: boolean; text: string } {
  if (certificates.length === 0) return { free: false, text: 'Nothing moved: there is no path to certify' };
  const bad = certificates.find(({ verdict }) => verdict !== 'free');
  if (bad?.contact) return { free: false, text: `Not free: ${bad.part} meets ${bad.contact.obstacle} at ${fixed(bad.contact.time, 2)} s` };
  if (bad) return { free: false, text: `Undecided: ${bad.part} is proven free until ${fixed(bad.free_until, 2)} s` };
  const gaps = certificates.flatMap(({ gap_at_least }) => (gap_at_least === null ? [] : [gap_at_least]));
  return { free: true, text: gaps.length > 0 ? `Certified free, gap at least ${quantityText(Math.min(...gaps), 'm', 3)}` : 'Certified free, nothing near' };
}
