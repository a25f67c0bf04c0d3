// A slider for every free joint of the scene's machines: it puts the joint somewhere, at rest.

import type { Parameter } from '../protocol/messages';
import type { SceneModel } from '../scene/model';
import { ParameterField } from './parameter-field';

export function Joints({ model }: { model: SceneModel }) {
  const joints = model.session.hello.value?.joints ?? [];
  if (joints.length === 0) return null;
  const now = model.session.report.value?.joints;
  return (
    <section class="group" aria-labelledby="joints-title">
      <header class="group-head"><h2 id="joints-title">Joints</h2></header>
      {joints.map(({ name, unit, min, max, position }, index) => {
        const value = now?.[index] ?? position;
        const parameter: Parameter = {
          key: `joint-${index}`, label: name, unit, min, max, default: value, value, step: (max - min) / 360, scale: 'linear',
          text: 'Where the joint is; the slider puts it somewhere else, at rest',
        };
        return (
          <ParameterField
            key={`${index} ${name}`}
            parameter={parameter}
            value={value}
            disabled={model.session.phase.value !== 'open'}
            onChange={(next) => model.session.setJoint(index, next)}
          />
        );
      })}
    </section>
  );
}
