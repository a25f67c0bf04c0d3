// The page: the gallery, or a scene, which brings the three-dimensional part with it when it is first opened.

import { lazy, Suspense } from 'preact/compat';
import { Gallery } from './gallery/gallery';
import { route } from './route';
import { LiveRegions } from './ui/live';

const SceneView = lazy(() => import('./scene/scene-view').then((module) => ({ default: module.SceneView })));

export function App() {
  const place = route.value;
  return (
    <>
      {place.page === 'gallery' ? (
        <Gallery group={place.group} />
      ) : (
        <Suspense fallback={<div class="scene" />}>
          <SceneView key={place.name} name={place.name} />
        </Suspense>
      )}
      <LiveRegions />
    </>
  );
}
