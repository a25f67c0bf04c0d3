// The runs of this machine: one is recorded while it is driven, kept or thrown away at its end, and looked at by the coach.

import { signal } from '@preact/signals';
import { deleteRecording } from '../session/open';
import { MOST_GHOSTS } from './ghosts';
import { sign } from './pilots';
import { bestOf, type RunData, type RunEntry } from './runs';
import { fetchCoach, fetchRun, fetchRuns, type Coached } from './server';

export class RunKeeper {
  readonly runs = signal<RunEntry[]>([]);
  readonly ghosts = signal<RunData[]>([]);
  readonly result = signal<{ entry: RunEntry; best: RunEntry | null } | null>(null);
  /** Of the shown result; null until it is there, a text where there is none. */
  readonly coached = signal<Coached | string | null>(null);
  private isRecording = false;
  /** For each recording that was ended: whether it is thrown away. */
  private readonly fates: boolean[] = [];
  private isAwaited = false;

  /** `record` begins and ends a recording of the session; `complain` says what went wrong. */
  constructor(
    private readonly record: (on: boolean) => void,
    private readonly complain: (text: string) => void,
  ) {}

  async refresh(): Promise<void> {
    this.runs.value = await fetchRuns();
  }

  begin(): void {
    this.isRecording = true;
    this.record(true);
  }

  /** Ends the recording of a run that was broken off, which is thrown away. */
  discard(): void {
    this.stop(true);
  }

  /** The run is over: its file is ended, and what it says is shown when it is there. */
  settle(): void {
    this.isAwaited = true;
    this.stop(false);
  }

  private stop(discard: boolean): void {
    if (!this.isRecording) return;
    this.isRecording = false;
    this.fates.push(discard);
    this.record(false);
  }

  /** The server has written a recording. */
  async saved(recording: string): Promise<void> {
    try {
      if (this.fates.shift()) {
        await deleteRecording(recording);
        return;
      }
      await this.refresh();
      const entry = this.runs.value.find(({ name }) => name === recording);
      if (!entry || !this.isAwaited) return;
      this.isAwaited = false;
      sign(entry);
      const others = this.runs.value.filter(({ name }) => name !== recording);
      const best = bestOf(others, entry.track);
      this.coached.value = null;
      this.result.value = { entry, best };
      void this.coach(entry, best);
    } catch (error) {
      this.complain(`The run could not be saved: ${(error as Error).message}`);
    }
  }

  /** Asks the coach, who compares with the best run, or with the pilot's where there is none: that takes some seconds the first time. */
  private async coach(entry: RunEntry, best: RunEntry | null): Promise<void> {
    const coached = await fetchCoach(entry.name, best?.name ?? null).catch((error: Error) => error.message);
    if (this.result.value?.entry === entry) this.coached.value = coached;
  }

  async toggleGhost(name: string): Promise<void> {
    const shown = this.ghosts.value.filter((ghost) => ghost.name !== name);
    if (shown.length < this.ghosts.value.length) {
      this.ghosts.value = shown;
      return;
    }
    try {
      this.ghosts.value = [...shown, await fetchRun(name)].slice(-MOST_GHOSTS);
    } catch (error) {
      this.complain(`The run ${name} cannot be a ghost: ${(error as Error).message}`);
    }
  }

  async remove(entry: RunEntry): Promise<void> {
    this.ghosts.value = this.ghosts.value.filter(({ name }) => name !== entry.name);
    await deleteRecording(entry.name).catch((error: Error) => this.complain(error.message));
    await this.refresh();
  }
}
