// The message over the stage. Errors stay until closed, others leave after six seconds unless the pointer rests on them.

import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './controls';
import { Icon, type IconName } from './icons';
import { current, dismiss, type MessageKind } from './messages';

const STAY_MS = 6000;
const icons: Record<MessageKind, IconName> = { info: 'check', warn: 'warning', error: 'warning', connection: 'plug' };

export function MessageCard() {
  const message = current.value;
  const [held, hold] = useState(false);
  const stays = message?.kind === 'error' || message?.kind === 'connection';
  useEffect(() => {
    if (!message || stays || held) return;
    const timer = setTimeout(() => dismiss(message.id), STAY_MS);
    return () => clearTimeout(timer);
  }, [message?.id, stays, held]);
  if (!message) return null;
  return (
    <div class={`message plate ${message.kind}`} onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
      <span class="message-icon"><Icon name={icons[message.kind]} /></span>
      <div class="message-text">
        <strong>{message.title}</strong>
        <span>{message.text}</span>
      </div>
      {message.action && (
        <button type="button" class="button" onClick={() => { message.action!.run(); dismiss(message.id); }}>
          {message.action.label}
        </button>
      )}
      <IconButton icon="close" label="Close message" onClick={() => dismiss(message.id)} />
    </div>
  );
}
