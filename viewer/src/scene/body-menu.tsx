// The menu of a body: pin, throw, duplicate, delete, follow, properties. What the scene does not support is not offered.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../ui/icons';
import type { SceneModel } from './model';

interface Entry {
  icon: IconName;
  text: string;
  run: () => void;
}

function entries(model: SceneModel, body: number, track: number, at: { x: number; y: number }): Entry[] {
  const { session } = model;
  const stage = model.stage.value;
  const pinned = stage?.isPinned(body) ?? false;
  const main = track === 0;
  const list: (Entry | false)[] = [
    main && model.can('pin') && { icon: 'pin', text: pinned ? 'Unpin' : 'Pin', run: () => session.pin(body, !pinned) },
    main && model.can('throw') && { icon: 'throw', text: 'Throw', run: () => (model.tool.value = { kind: 'throw', body }) },
    main && model.can('add') && { icon: 'index', text: 'Duplicate', run: () => model.duplicate(body) },
    main && { icon: 'follow', text: model.following.value === body ? 'Stop following' : 'Follow', run: () => model.follow(model.following.value === body ? null : body) },
    main && { icon: 'centre', text: 'Turn about this point', run: () => model.choosePivot(body, at.x, at.y) },
    model.can('properties') && { icon: 'info', text: 'Properties', run: () => model.inspect({ body, track }) },
    main && model.can('delete') && { icon: 'trash', text: 'Delete', run: () => { if (model.inspected.value?.body === body) model.inspect(null); session.delete(body); } },
  ];
  return list.filter((entry): entry is Entry => entry !== false);
}

export function BodyMenu({ model }: { model: SceneModel }) {
  const menu = model.menu.value;
  return menu ? <OpenMenu key={`${menu.body}-${menu.x}-${menu.y}`} model={model} {...menu} /> : null;
}

function OpenMenu({ model, body, track, x, y }: { model: SceneModel; body: number; track: number; x: number; y: number }) {
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState({ left: x, top: y });
  const close = (keepFocus = false) => {
    model.menu.value = null;
    if (model.inspected.value === null) model.stage.value?.select(null);
    if (!keepFocus) document.getElementById('stage')?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    const { width, height } = place.current!.getBoundingClientRect();
    setAt({ left: Math.max(8, Math.min(x, innerWidth - width - 8)), top: Math.max(8, Math.min(y, innerHeight - height - 8)) });
    place.current!.querySelector<HTMLElement>('[role=menuitem]')?.focus();
  }, []);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (!place.current?.contains(event.target as Node)) close(true);
    };
    document.addEventListener('pointerdown', outside, true);
    return () => document.removeEventListener('pointerdown', outside, true);
  }, []);
  const keyDown = (event: KeyboardEvent) => {
    const items = [...place.current!.querySelectorAll<HTMLElement>('[role=menuitem]')];
    const here = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: items.length - 1 }[event.key];
    event.stopPropagation();
    if (event.key === 'Escape' || event.key === 'Tab') {
      event.preventDefault();
      close();
    }
    if (next === undefined) return;
    event.preventDefault();
    items[(next + items.length) % items.length]?.focus();
  };
  return (
    <div ref={place} class="menu plate" role="menu" aria-label={model.bodyName(body)} style={at} onKeyDown={keyDown} onContextMenu={(event) => event.preventDefault()}>
      <div class="menu-title" aria-hidden="true">{model.bodyName(body)}</div>
      {entries(model, body, track, { x, y }).map(({ icon, text, run }) => (
        <button key={text} type="button" role="menuitem" tabIndex={-1} onClick={() => { run(); close(); }}>
          <Icon name={icon} />{text}
        </button>
      ))}
    </div>
  );
}
