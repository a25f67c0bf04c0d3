// Setups by name and as files, under the sliders that they set.

import { useSignal } from '@preact/signals';
import { download, fileNameOf } from './download';
import { seat as settings } from './seat-settings';
import { setupText, slidersOf } from './server';
import { setups } from './setup-files';

export function SetupFiles() {
  const name = useSignal('');
  const said = useSignal<string | null>(null);
  const names = Object.keys(setups.value).sort();
  const refuse = (what: string) => (error: Error) => (said.value = `${what}: ${error.message}`);
  const keep = () => {
    const wanted = name.value.trim();
    if (wanted === '') {
      said.value = 'Give it a name first.';
      return;
    }
    setups.value = { ...setups.value, [wanted]: settings.setup.value };
    said.value = `Kept as ${wanted}.`;
  };
  const take = (wanted: string) => {
    settings.setup.value = setups.value[wanted] ?? {};
    name.value = wanted;
    said.value = `${wanted} is on the sliders.`;
  };
  const forget = (wanted: string) => {
    const { [wanted]: _, ...others } = setups.value;
    setups.value = others;
  };
  const save = () => void setupText(settings.setup.value).then((text) => download(fileNameOf(name.value), text), refuse('No file'));
  const open = async (file: File | undefined) => {
    if (!file) return;
    await slidersOf(await file.text()).then((values) => {
      settings.setup.value = values;
      name.value = file.name.replace(/\.toml$/, '');
      said.value = `${file.name} is on the sliders.`;
    }, refuse(file.name));
  };
  return (
    <fieldset class="bob-files">
      <legend>Setups</legend>
      <div class="bob-row checks">
        <label>Name<input type="text" aria-label="Name of the setup" maxLength={40} value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} /></label>
        <button type="button" class="button" onClick={keep}>Keep</button>
        <button type="button" class="button" title="The file that prall bob drive --setup and prall bob run --setup read" onClick={save}>Save as a file</button>
        <label class="button">Open a file<input type="file" class="hidden-text" aria-label="Open a setup file" accept=".toml" onChange={(event) => void open(event.currentTarget.files?.[0])} /></label>
        <button type="button" class="link" onClick={() => (settings.setup.value = {})}>Everything back to its place</button>
      </div>
      {names.map((wanted) => (
        <p key={wanted} class="bob-row checks"><span>{wanted}</span><button type="button" class="link" onClick={() => take(wanted)}>{`Take ${wanted}`}</button><button type="button" class="link" onClick={() => forget(wanted)}>{`Delete ${wanted}`}</button></p>
      ))}
      {said.value && <p role="status">{said.value}</p>}
    </fieldset>
  );
}
