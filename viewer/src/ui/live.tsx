import { assertive, polite } from './announce';

export function LiveRegions() {
  return (
    <>
      <div class="hidden-text" role="status">{polite.value}</div>
      <div class="hidden-text" role="alert">{assertive.value}</div>
    </>
  );
}
