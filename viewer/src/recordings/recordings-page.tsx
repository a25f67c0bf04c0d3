// What was recorded: play it, keep a copy, throw it away.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { bytesText, fixed } from '../numbers/format';
import type { RecordingEntry } from '../protocol/messages';
import { recordingHash, sceneHash } from '../route';
import { apiAddress, deleteRecording, fetchRecordings, tokenRefusal, Unauthorized } from '../session/open';
import { announce } from '../ui/announce';
import { IconButton, ThemeButton } from '../ui/controls';
import { Icon, Mark } from '../ui/icons';
import { recordedText } from './recorded-text';

export function RecordingsPage() {
  const list = useSignal<RecordingEntry[] | null>(null);
  const failure = useSignal<string | null>(null);
  const doomed = useSignal<string | null>(null);
  const load = () => fetchRecordings().then(
    (recordings) => {
      list.value = recordings;
      failure.value = null;
    },
    (error: Error) => (failure.value = error instanceof Unauthorized ? tokenRefusal.text : `The list did not come: ${error.message}. Is prall serve running?`),
  );
  useEffect(() => {
    document.title = 'Recordings · Prall';
    void load();
  }, []);
  const remove = async (name: string) => {
    doomed.value = null;
    await deleteRecording(name).then(() => announce(`${name} is gone`), (error: Error) => (failure.value = error.message));
    await load();
  };
  return (
    <div class="gallery">
      <header class="bar scene-bar">
        <a class="brand" href="#/" aria-label="Prall, gallery"><Mark /><span class="brand-name">Prall</span></a>
        <nav class="trail" aria-label="Where you are">
          <a href="#/">Gallery</a>
          <Icon name="chevronRight" size={16} />
          <h1 aria-current="page">Recordings</h1>
        </nav>
        <span class="spacer" />
        <ThemeButton />
      </header>
      <main class="recordings" id="scenes" tabIndex={-1}>
        {failure.value && <div class="empty" role="alert"><Icon name="warning" /><strong>No recordings to show</strong><span>{failure.value}</span></div>}
        {list.value?.length === 0 && (
          <div class="empty">
            <Icon name="record" />
            <strong>Nothing recorded yet</strong>
            <span>Open a scene and press R: everything that happens from then on can be played again, bit by bit.</span>
            <a class="link" href="#/">To the gallery</a>
          </div>
        )}
        {list.value && list.value.length > 0 && (
          <ul class="recording-list">
            {list.value.map((recording) => (
              <li key={recording.name} class="recording">
                <Facts recording={recording} />
                <span class="recording-tools">
                  {recording.scene !== null && <a class="button primary" href={recordingHash(recording.name)}><Icon name="play" size={16} />Play</a>}
                  <a class="icon-button" href={apiAddress(`recordings/${encodeURIComponent(recording.name)}`)} download={recording.name} aria-label={`Download ${recording.name}`} title="Download"><Icon name="download" /></a>
                  {doomed.value === recording.name ? (
                    <>
                      <button type="button" class="button danger" onClick={() => void remove(recording.name)}>Delete for good</button>
                      <button type="button" class="button" onClick={() => (doomed.value = null)}>Keep</button>
                    </>
                  ) : <IconButton icon="trash" label={`Delete ${recording.name}`} onClick={() => (doomed.value = recording.name)} />}
                </span>
              </li>
            ))}
          </ul>
        )}
      </main>
    </div>
  );
}

function Facts({ recording }: { recording: RecordingEntry }) {
  const { name, scene, title, solver, seconds, bytes, warning, recorded } = recording;
  return (
    <div class="recording-facts">
      <strong>{scene !== null ? <a href={sceneHash(scene)}>{title}</a> : name}</strong>
      <span class="recording-line">
        {[recordedText(recorded, Date.now() / 1000), seconds === null ? null : `${fixed(seconds, 1)} s`, solver, bytesText(bytes)].filter(Boolean).join(' · ')}
      </span>
      {scene !== null && <span class="recording-name">{name}</span>}
      {warning && <span class="recording-warning"><Icon name="warning" size={16} />{warning}</span>}
    </div>
  );
}
