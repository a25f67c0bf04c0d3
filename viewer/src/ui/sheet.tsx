// A sheet over the page: the browser's own modal dialog, so that focus stays inside and Esc closes it.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { IconButton } from './controls';

export function Sheet({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby="sheet-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="sheet-body">
        <header class="sheet-head">
          <h2 id="sheet-title" tabIndex={-1} autofocus>{title}</h2>
          <IconButton icon="close" label="Close" shortcut="Esc" onClick={onClose} />
        </header>
        {children}
      </div>
    </dialog>
  );
}
