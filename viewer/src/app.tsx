// The page: the gallery, or a scene, which brings the three-dimensional part with it when it is first opened.

import { lazy, Suspense } from 'preact/compat';
import { Gallery } from './gallery/gallery';
import { RecordingsPage } from './recordings/recordings-page';
import { route, type Route } from './route';
import { LiveRegions } from './ui/live';

const BobView = lazy(() => import('./bob/bob-view').then((module) => ({ default: module.BobView })));
const SceneView = lazy(() => import('./scene/scene-view').then((module) => ({ default: module.SceneView })));

function Place({ place }: { place: Route }) {
  switch (place.page) {
    case 'gallery':
      return <Gallery group={place.group} />;
    case 'recordings':
      return <RecordingsPage />;
    case 'bob':
      return (
        <Suspense fallback={<div class="scene" />}>
          <BobView />
        </Suspense>
      );
    case 'scene':
    case 'recording':
      return (
        <Suspense fallback={<div class="scene" />}>
          <SceneView key={`${place.page}/${place.name}`} subject={place.page === 'scene' ? { scene: place.name } : { recording: place.name }} />
        </Suspense>
      );
  }
}

export function App() {
  return (
    <>
      <Place place={route.value} />
      <LiveRegions />
    </>
  );
}
