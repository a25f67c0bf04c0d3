import { KeyList } from '../ui/key-list';
import { Sheet } from '../ui/sheet';

const keys = [
  { label: '/', text: 'Search' },
  { label: 'Esc', text: 'Clear the search, close' },
  { label: 'Tab, Enter', text: 'Next scene, open it' },
  { label: 'T', text: 'Light or dark' },
  { label: '?', text: 'This help' },
];

export function GalleryHelp({ version, onClose }: { version: string | null; onClose: () => void }) {
  return (
    <Sheet title="Help" onClose={onClose}>
      <p class="prose">
        Every card is a simulation that runs on this machine. Open one, take its bodies with the pointer and pull them, change its parameters, and watch what the contact solver does and how exact it is.
      </p>
      <section>
        <h3>Keys</h3>
        <KeyList keys={keys} />
      </section>
      {version && <p class="small-print">Prall {version}</p>}
    </Sheet>
  );
}
