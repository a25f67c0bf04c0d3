// One parameter: a number field that understands units, and a slider below it.

import { useEffect, useState } from 'preact/hooks';
import { fieldText } from '../numbers/format';
import { positionOf, stepped, valueAt } from '../numbers/slider';
import { parseQuantity, unitText } from '../numbers/units';
import type { Parameter } from '../protocol/messages';

const SLIDER_STEPS = 1000;

interface Props {
  parameter: Parameter;
  value: number;
  disabled: boolean;
  onChange: (value: number) => void;
}

export function ParameterField({ parameter, value, disabled, onChange }: Props) {
  const { key, label, unit, min, max, step, scale, text } = parameter;
  // What is being typed; null while the field shows the value in force.
  const [draft, setDraft] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  // The slider's own value while it moves, until the server says what holds.
  const [pending, setPending] = useState<number | null>(null);
  useEffect(() => setPending(null), [value]);

  const shown = pending ?? value;
  const format = (number: number) => fieldText(number, step, scale);
  const id = `parameter-${key}`;
  const changed = value !== parameter.default;

  const set = (next: number) => {
    setDraft(null);
    setRefusal(null);
    if (next === value) return;
    setPending(next);
    onChange(next);
  };
  const commit = (typed: string) => {
    const result = parseQuantity(typed, unit);
    if ('error' in result) setRefusal(result.error);
    else if (result.value < min || result.value > max) setRefusal(`Between ${format(min)} and ${format(max)}${unit ? ` ${unitText(unit)}` : ''}`);
    else set(result.value);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && draft !== null) commit(draft);
    if (event.key === 'Escape') {
      setDraft(null);
      setRefusal(null);
    }
    if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      const factor = event.shiftKey ? 10 : event.altKey ? 0.1 : 1;
      set(stepped(shown, event.key === 'ArrowUp' ? 1 : -1, factor, parameter));
    }
  };

  return (
    <div class="parameter" title={text}>
      <div class="row">
        <label for={id}>{label}</label>
        {changed && (
          <button type="button" class="changed" disabled={disabled} aria-label={`${label}: back to ${format(parameter.default)}`} title={`Changed. Back to ${format(parameter.default)}`} onClick={() => set(parameter.default)} />
        )}
        <span class="spacer" />
        <span class={`number-field${refusal ? ' refused' : ''}`}>
          <input
            id={id}
            type="text"
            inputMode="decimal"
            autocomplete="off"
            spellcheck={false}
            disabled={disabled}
            value={draft ?? format(shown)}
            aria-invalid={refusal !== null}
            aria-describedby={`${id}-text`}
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => setDraft(event.currentTarget.value)}
            onBlur={() => draft !== null && commit(draft)}
            onKeyDown={keyDown}
          />
          {unit && <span class="unit">{unitText(unit)}</span>}
        </span>
      </div>
      <p class="refusal" role="alert" hidden={refusal === null}>{refusal}</p>
      <p id={`${id}-text`} class="hidden-text">{unit && `in ${unit}. `}{text}</p>
      <Slider parameter={parameter} value={shown} disabled={disabled} spoken={`${format(shown)} ${unitText(unit)}`} onChange={set} />
    </div>
  );
}

interface SliderProps {
  parameter: Parameter;
  value: number;
  disabled: boolean;
  spoken: string;
  onChange: (value: number) => void;
}

function Slider({ parameter, value, disabled, spoken, onChange }: SliderProps) {
  const position = positionOf(value, parameter);
  // A range with both signs is filled from its zero.
  const zero = parameter.min < 0 && parameter.max > 0 ? positionOf(0, parameter) : 0;
  const keyDown = (event: KeyboardEvent) => {
    const direction = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key] as 1 | -1 | undefined;
    if (!direction) return;
    event.preventDefault();
    onChange(stepped(value, direction, event.shiftKey ? 10 : event.altKey ? 0.1 : 1, parameter));
  };
  return (
    <input
      type="range"
      class="slider"
      min={0}
      max={SLIDER_STEPS}
      step={1}
      disabled={disabled}
      value={Math.round(SLIDER_STEPS * position)}
      style={{ '--from': `${100 * Math.min(zero, position)}%`, '--to': `${100 * Math.max(zero, position)}%` }}
      aria-label={parameter.label}
      aria-valuetext={spoken}
      onInput={(event) => onChange(valueAt(Number(event.currentTarget.value) / SLIDER_STEPS, parameter))}
      onKeyDown={keyDown}
    />
  );
}
