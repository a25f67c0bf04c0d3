// What happened and what to do next: one message at a time over the stage, all of them in a log.

import { signal } from '@preact/signals';
import { announce } from './announce';

export type MessageKind = 'info' | 'warn' | 'error' | 'connection';

export interface Message {
  kind: MessageKind;
  title: string;
  text: string;
  action?: { label: string; run: () => void };
}

export interface LoggedMessage extends Message {
  id: number;
  at: Date;
}

const LOG_LENGTH = 100;
let lastId = 0;

export const current = signal<LoggedMessage | null>(null);
export const log = signal<LoggedMessage[]>([]);

export function notify(message: Message): void {
  lastId += 1;
  const logged = { ...message, id: lastId, at: new Date() };
  current.value = logged;
  log.value = [logged, ...log.value].slice(0, LOG_LENGTH);
  announce(`${message.title}. ${message.text}`, message.kind === 'connection' ? 'assertive' : 'polite');
}

export function dismiss(id?: number): void {
  if (id === undefined || current.value?.id === id) current.value = null;
}
