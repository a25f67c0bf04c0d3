// The scene's parameters, a field and a slider for each, as the server declares them.

import type { SceneModel } from '../scene/model';
import { IconButton } from '../ui/controls';
import { ParameterField } from './parameter-field';

export function Parameters({ model }: { model: SceneModel }) {
  const parameters = model.session.hello.value?.parameters ?? [];
  if (parameters.length === 0) return null;
  const changed = parameters.filter((parameter) => model.valueOf(parameter) !== parameter.default);
  return (
    <section class="group" aria-labelledby="parameters-title">
      <header class="group-head">
        <h2 id="parameters-title">Parameters</h2>
        <IconButton
          icon="reset"
          class="small"
          label="Reset all parameters"
          disabled={changed.length === 0}
          onClick={() => changed.forEach((parameter) => model.session.set(parameter.key, parameter.default))}
        />
      </header>
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.key}
          parameter={parameter}
          value={model.valueOf(parameter)}
          disabled={model.session.phase.value !== 'open'}
          onChange={(value) => model.session.set(parameter.key, value)}
        />
      ))}
    </section>
  );
}
