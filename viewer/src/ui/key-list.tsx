import { Key } from './controls';

/** Keys and what they do; "Shift R" and "Tab, Enter" become one cap per key. */
export function KeyList({ keys }: { keys: { label: string; text: string }[] }) {
  return (
    <dl class="key-list">
      {keys.map(({ label, text }) => (
        <div key={label + text}>
          <dt>{label.split(/, | (?=[A-Z](?: |$))/).map((cap) => <Key key={cap}>{cap}</Key>)}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
