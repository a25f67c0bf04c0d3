import '@preact/signals';
import { render } from 'preact';
import { App } from './app';
import './theme';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/gallery.css';
import './styles/scene.css';
import './styles/panel.css';
import './styles/plots.css';
import './styles/compare.css';
import './styles/recordings.css';
import './styles/hand.css';

render(<App />, document.getElementById('app')!);
