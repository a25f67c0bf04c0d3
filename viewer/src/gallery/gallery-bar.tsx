import type { RefObject } from 'preact';
import { IconButton, Key, ThemeButton } from '../ui/controls';
import { Icon, Mark } from '../ui/icons';
import type { Group } from './groups';

interface Props {
  groups: Group[];
  total: number;
  group: string | null;
  query: string;
  search: RefObject<HTMLInputElement | null>;
  onQuery: (text: string) => void;
  /** Enter in the search field. */
  onEnter: () => void;
  onHelp: () => void;
  onSettings: () => void;
}

export function GalleryBar({ groups, total, group, query, search, onQuery, onEnter, onHelp, onSettings }: Props) {
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onEnter();
    if (event.key !== 'Escape') return;
    if (query) onQuery('');
    else search.current?.blur();
  };
  return (
    <header class="bar gallery-bar">
      <a class="brand" href="#/" aria-label="Prall, all scenes"><Mark size={26} /><span class="brand-name">Prall</span></a>
      <nav class="chips" aria-label="Groups">
        <Chip href="#/" text="All" count={total} chosen={group === null} />
        {groups.map(({ name, slug, scenes }) => <Chip key={slug} href={`#${slug}`} text={name} count={scenes.length} chosen={slug === group} />)}
      </nav>
      <div class="search" role="search">
        <Icon name="search" />
        <input
          ref={search}
          type="search"
          placeholder="Search scenes, sources, solvers"
          aria-label="Search scenes, sources, solvers"
          aria-keyshortcuts="/"
          value={query}
          onInput={(event) => onQuery(event.currentTarget.value)}
          onKeyDown={keyDown}
        />
        <Key>/</Key>
      </div>
      <div class="bar-tools">
        <a class="seat-link" href="#bob" title="Sit down and drive the bobsleigh"><Icon name="velocity" /><span>Drive the bob</span></a>
        <a class="icon-button" href="#/recordings" aria-label="Recordings" title="Recordings"><Icon name="list" /></a>
        <ThemeButton />
        <IconButton icon="settings" label="Settings" onClick={onSettings} />
        <IconButton icon="help" label="Help" shortcut="?" onClick={onHelp} />
      </div>
    </header>
  );
}

function Chip({ href, text, count, chosen }: { href: string; text: string; count: number; chosen: boolean }) {
  return (
    <a class="group-chip" href={href} aria-current={chosen ? 'page' : undefined}>
      {text} <span class="count">{count}</span>
    </a>
  );
}
