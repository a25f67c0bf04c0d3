// Small controls that several parts of the page share.

import type { ComponentChildren } from 'preact';
import { theme, toggleTheme } from '../theme';
import { Icon, type IconName } from './icons';

export interface IconButtonProps {
  icon: IconName;
  label: string;
  /** The key that does the same; shown in the tooltip. */
  shortcut?: string;
  pressed?: boolean;
  disabled?: boolean;
  class?: string;
  onClick: () => void;
  children?: ComponentChildren;
}

export function IconButton({ icon, label, shortcut, pressed, disabled, class: extra, onClick, children }: IconButtonProps) {
  return (
    <button
      type="button"
      class={`icon-button${extra ? ` ${extra}` : ''}`}
      aria-label={label}
      aria-pressed={pressed}
      aria-keyshortcuts={shortcut}
      title={shortcut ? `${label} (${shortcut})` : label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

export function ThemeButton() {
  const dark = theme.value === 'dark';
  return <IconButton icon={dark ? 'sun' : 'moon'} label={dark ? 'Light theme' : 'Dark theme'} shortcut="T" onClick={toggleTheme} />;
}

export function Key({ children }: { children: ComponentChildren }) {
  return <kbd class="key">{children}</kbd>;
}
