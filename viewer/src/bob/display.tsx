// The head-up display. Numbers change with every picture, so they are written into the page directly.

import { useEffect, useRef } from 'preact/hooks';
import type { Seat } from './seat';

const clock = (seconds: number) => (seconds < 0 ? '0.00' : seconds.toFixed(2));
export const signed = (seconds: number, digits = 2) => `${seconds < 0 ? '−' : '+'}${Math.abs(seconds).toFixed(digits)}`;
/** End stop of the steering in degrees. */
const FULL = 10;

export function Display({ seat }: { seat: Seat }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const find = (name: string) => root.current!.querySelector<HTMLElement>(`[data-show=${name}]`)!;
    const nodes = { speed: find('speed'), load: find('load'), clock: find('clock'), bend: find('bend'), gap: find('gap'), split: find('split'), angle: find('angle'), knob: find('knob'), advice: find('advice') };
    const write = (node: HTMLElement, text: string) => {
      if (node.textContent !== text) node.textContent = text;
    };
    const place = (node: HTMLElement, degrees: number) => (node.style.left = `${50 - 50 * Math.max(-1, Math.min(1, degrees / FULL))}%`);
    seat.onPicture = () => {
      const d = seat.display;
      write(nodes.speed, d.speed.toFixed(1));
      write(nodes.load, `${d.load.toFixed(1)} g`);
      write(nodes.clock, clock(d.clock));
      write(nodes.bend, d.bend);
      write(nodes.gap, d.gap === null ? '' : `${signed(d.gap)} s to the ghost`);
      nodes.gap.classList.toggle('ahead', (d.gap ?? 0) < 0);
      write(nodes.split, d.splitGap === null ? '' : `Split ${signed(d.splitGap, 3)}`);
      write(nodes.angle, `${Math.abs(d.steering).toFixed(1)}°`);
      place(nodes.knob, d.steering);
      place(nodes.advice, d.advice);
    };
    return () => (seat.onPicture = null);
  }, [seat]);
  return (
    <div class="bob-display" ref={root} aria-hidden="true">
      <div class="bob-dial speed"><span>Speed</span><strong><b data-show="speed">0.0</b> km/h</strong><small>Load <i data-show="load">1.0 g</i></small></div>
      <div class="bob-dial time"><span>Run time</span><strong><b data-show="clock">0.00</b> s</strong><small data-show="bend" /><small class="bob-gap" data-show="gap" /><small data-show="split" /></div>
      <div class="bob-dial ropes"><span>Ropes <i data-show="angle">0.0°</i></span><div class="bob-rope"><i class="advice" data-show="advice" /><i class="knob" data-show="knob" /></div></div>
    </div>
  );
}
